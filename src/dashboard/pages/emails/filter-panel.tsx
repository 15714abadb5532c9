import { Popover } from "@base-ui/react/popover"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { EMAIL_STATUSES } from "../../../worker/emails/statuses.ts"
import { domainsQuery } from "../../api/queries.ts"
import { sentence } from "../../ui/badge.tsx"
import { DateInput } from "../../ui/date-input.tsx"
import { Field, TextInput } from "../../ui/field.tsx"
import { Select } from "../../ui/select.tsx"
import type { FilterProps } from "./filter-button.tsx"
import { type FilterName, isDay, withChip } from "./query.ts"

type Option = readonly [value: string, label: string]

const ANY: Option = ["", "Any"]
const STATUSES = [ANY, ...EMAIL_STATUSES.map((one): Option => [one, sentence(one)])]
const YES_OR_NO: readonly Option[] = [ANY, ["yes", "Yes"], ["no", "No"]]
const AGES: readonly Option[] = [
  ["", "Any time"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["90d", "Last 90 days"],
]

/** Opens at once: its trigger was pressed while this was loading. */
export default function FilterPanel({
  trigger,
  ...filters
}: FilterProps & { trigger: ReactElement }) {
  const [open, setOpen] = useState(true)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-50">
          <Popover.Popup
            aria-label="Filters"
            className="grid w-80 max-w-[calc(100vw-2rem)] grid-cols-2 gap-3 rounded-lg bg-raised p-4 shadow-float outline-none"
          >
            <FilterFields {...filters} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function FilterFields({ chips, onChange }: FilterProps) {
  const { data } = useQuery(domainsQuery)
  const domains = (data?.data ?? []).map(({ id, name }): Option => [id, name])
  const chosen = (name: FilterName) => chips.find((chip) => chip.name === name)?.value ?? ""
  const set = (name: FilterName) => (value: string) => onChange(withChip(chips, name, value))
  const choice = (label: string, name: FilterName, options: readonly Option[]) => (
    <Field label={label}>
      {(control) => (
        <Select
          {...control}
          options={options}
          value={options.some(([value]) => value === chosen(name)) ? chosen(name) : ""}
          onChange={set(name)}
        />
      )}
    </Field>
  )
  const day = (label: string, name: "since" | "until", bounds: { min?: string; max?: string }) => (
    <Field label={label}>
      {(control) => (
        <DateInput {...control} {...bounds} value={dayOf(chosen(name))} onChange={set(name)} />
      )}
    </Field>
  )
  return (
    <>
      {choice("Status", "status", STATUSES)}
      {choice("Created", "since", AGES)}
      {day("From", "since", { max: dayOf(chosen("until")) })}
      {day("To", "until", { min: dayOf(chosen("since")) })}
      {choice("Opened", "opened", YES_OR_NO)}
      {choice("Clicked", "clicked", YES_OR_NO)}
      {choice("Sending domain", "domain", [ANY, ...domains])}
      <TagField onAdd={(value) => onChange([...chips, { name: "tag", value }])} />
    </>
  )
}

const dayOf = (value: string) => (isDay(value) ? value : "")

/** An email has several tags, so each one that is entered is one more filter. */
function TagField({ onAdd }: { onAdd(tag: string): void }) {
  const [tag, setTag] = useState("")
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!tag.trim()) return
        onAdd(tag.trim())
        setTag("")
      }}
    >
      <Field label="Tag">
        {(control) => (
          <TextInput
            {...control}
            autoComplete="off"
            placeholder="plan:pro"
            value={tag}
            onChange={({ target }) => setTag(target.value)}
          />
        )}
      </Field>
    </form>
  )
}
