import { X } from "lucide-react"
import { useId } from "react"
import { type Operator, operatorsOf } from "../../../worker/segments/filter.ts"
import { IconButton } from "../../ui/button.tsx"
import { TextInput } from "../../ui/form/field.tsx"
import { Select } from "../../ui/menu/select.tsx"
import { DateInput } from "../../ui/time/date-input.tsx"
import { type ConditionDraft, OTHER_PROPERTY } from "./draft.ts"
import { ACTIVITY_NAMES, EVENT, FIELD_NAMES, fieldWords, OPERATOR_NAMES } from "./words.ts"

interface Props {
  draft: ConditionDraft
  /** "Condition 2": what the fields are called for a screen reader. */
  label: string
  fault: string | undefined
  /** The properties that contacts of the book have. */
  properties: readonly string[]
  campaigns: ReadonlyMap<string, string>
  /** A value of each property that is no date, if there is one. */
  notTimes: ReadonlyMap<string, string>
  onChange(changes: Partial<ConditionDraft>): void
  onRemove: (() => void) | undefined
}

/** One condition. Its fields wrap on a narrow screen. */
export function ConditionFields(props: Props) {
  const { draft, label, fault, properties, onChange, onRemove } = props
  const { about, property } = draft
  const faultId = useId()
  const known = new Set([...properties, ...(isNamedProperty(about) ? [about] : [])])
  return (
    <fieldset
      aria-describedby={fault && faultId}
      className="grid grid-cols-[minmax(0,1fr)_32px] gap-1 max-sm:gap-x-0"
    >
      <legend className="sr-only">{label}</legend>
      <div className="flex min-w-0 flex-wrap gap-2 [&>*]:min-w-0 [&>*]:flex-[2_1_112px] sm:[&>*]:flex-[2_1_128px]">
        <Select
          aria-label="About"
          className="flex-[3_1_172px]!"
          value={about}
          onChange={(about) => onChange(startOver(about))}
          options={[
            ...Object.entries(FIELD_NAMES),
            ...[...known].map((field) => [field, `Property ${fieldWords(field)}`] as const),
            [OTHER_PROPERTY, "Other property"],
            ...Object.entries(ACTIVITY_NAMES),
            [EVENT, "Event"],
          ]}
        />
        {(about === OTHER_PROPERTY || about === EVENT) && (
          <TextInput
            aria-label={about === EVENT ? "Name of the event" : "Name of the property"}
            placeholder={about === EVENT ? "order.paid" : "Name"}
            aria-invalid={Boolean(fault) && property.trim() === ""}
            value={property}
            onChange={({ target }) => onChange({ property: target.value })}
          />
        )}
        {about === EVENT || about in ACTIVITY_NAMES ? (
          <HappeningFields {...props} />
        ) : (
          <ValueFields {...props} />
        )}
      </div>
      {onRemove && (
        <IconButton label={`Remove ${label.toLowerCase()}`} onClick={onRemove}>
          <X size={14} aria-hidden />
        </IconButton>
      )}
      {isDay(draft.op) && props.notTimes.has(about) && (
        <p role="status" className="text-xs text-delayed wrap-anywhere">
          Some contacts have no date here, such as “{props.notTimes.get(about)}”. They never match.
        </p>
      )}
      {fault && (
        <p id={faultId} role="alert" className="col-span-full text-xs text-failed wrap-anywhere">
          {fault}
        </p>
      )}
    </fieldset>
  )
}

const isNamedProperty = (about: string) =>
  about.startsWith(OTHER_PROPERTY) && about !== OTHER_PROPERTY

/** Another field needs another comparison. */
function startOver(about: string): Partial<ConditionDraft> {
  const isText = about in FIELD_NAMES || about.startsWith(OTHER_PROPERTY)
  const [op = "is"] = operatorsFor(about)
  const text = about === "subscribed" ? "true" : ""
  return {
    about,
    op,
    text,
    property: "",
    count: "",
    campaignId: "",
    ...(isText && { withinDays: "", not: false }),
  }
}

const operatorsFor = (about: string) =>
  operatorsOf(about === OTHER_PROPERTY ? `${about}name` : about) ?? []

function ValueFields({ draft, fault, onChange }: Props) {
  const { about, op, text } = draft
  if (about === "subscribed") {
    return (
      <Select
        aria-label="Value"
        value={text}
        onChange={(text) => onChange({ text })}
        options={[
          ["true", "Subscribed"],
          ["false", "Unsubscribed"],
        ]}
      />
    )
  }
  const isTime = op === "before" || op === "after"
  const value = { "aria-label": "Value", "aria-invalid": Boolean(fault) }
  return (
    <>
      <Select
        aria-label="Comparison"
        value={op}
        onChange={(next) => onChange({ op: next, ...(isDay(next) !== isDay(op) && { text: "" }) })}
        options={operatorsFor(about).map((one) => [one, OPERATOR_NAMES[one]] as const)}
      />
      {isTime ? (
        <DateInput
          {...value}
          placeholder="Day"
          value={text.slice(0, 10)}
          onChange={(text) => onChange({ text })}
        />
      ) : (
        op !== "set" &&
        op !== "notSet" && (
          <TextInput
            {...value}
            placeholder={op === "above" || op === "below" ? "Number" : "Text"}
            value={text}
            onChange={({ target }) => onChange({ text: target.value })}
          />
        )
      )}
    </>
  )
}

const isDay = (op: Operator) => op === "before" || op === "after"

const PERIODS = ["7", "30", "90", "180", "365"]

const COUNTS = ["2", "3", "5", "10"]

function HappeningFields({ draft, campaigns, onChange }: Props) {
  const { about, campaignId, withinDays, not, count } = draft
  const periods = new Set([...PERIODS, ...(withinDays ? [withinDays] : [])])
  const names = new Map([...(campaignId ? [[campaignId, campaignId] as const] : []), ...campaigns])
  const counts = about === EVENT ? new Set([...COUNTS, ...(Number(count) > 1 ? [count] : [])]) : []
  const often = not ? "never" : Number(count) > 1 ? count : "once"
  return (
    <>
      <Select
        aria-label="How often"
        value={often}
        onChange={(often) =>
          onChange({ not: often === "never", count: Number(often) > 1 ? often : "" })
        }
        options={[
          ["once", "at least once"],
          ...[...counts].map((one) => [one, `at least ${one} times`] as const),
          ["never", "never"],
        ]}
      />
      {about !== EVENT && (
        <Select
          aria-label="Campaign"
          className="flex-[3_1_112px]! sm:flex-[2_1_128px]!"
          value={campaignId}
          onChange={(campaignId) => onChange({ campaignId })}
          options={[["", "Any campaign"], ...names]}
        />
      )}
      <Select
        aria-label="Period"
        className="sm:flex-[3_1_164px]!"
        value={withinDays}
        onChange={(withinDays) => onChange({ withinDays })}
        options={[
          ["", "At any time"],
          ...[...periods].map((days) => [days, `In the last ${days} days`] as const),
        ]}
      />
    </>
  )
}
