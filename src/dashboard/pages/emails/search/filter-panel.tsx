import { Popover } from "@base-ui/react/popover"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { EMAIL_STATUSES } from "../../../../worker/emails/statuses.ts"
import { domainsQuery } from "../../../api/queries.ts"
import { sentence } from "../../../ui/badge.tsx"
import { Field, TextField } from "../../../ui/form/field.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import { DateInput } from "../../../ui/time/date-input.tsx"
import type { FilterProps } from "./filter-button.tsx"
import { FILTERS, type FilterName, isDay, withChip } from "./query.ts"

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
    <SelectField
      label={label}
      options={options}
      value={options.some(([value]) => value === chosen(name)) ? chosen(name) : ""}
      onChange={set(name)}
    />
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
      {day("First day", "since", { max: dayOf(chosen("until")) })}
      {day("Last day", "until", { min: dayOf(chosen("since")) })}
      {choice("Opened", "opened", YES_OR_NO)}
      {choice("Clicked", "clicked", YES_OR_NO)}
      {choice("Sending domain", "domain", [ANY, ...domains])}
      <TextFilter
        label="Sender"
        placeholder="ops@example.com"
        findFault={(value) => (FILTERS.from(value) ? undefined : "Enter an address or @domain")}
        onAdd={set("from")}
      />
      <TextFilter
        label="Tag"
        placeholder="plan:pro"
        onAdd={(value) => onChange([...chips, { name: "tag", value }])}
      />
    </>
  )
}

const dayOf = (value: string) => (isDay(value) ? value : "")

interface TextFilterProps {
  label: string
  placeholder: string
  findFault?(value: string): string | undefined
  onAdd(value: string): void
}

/** What is entered becomes a chip. */
function TextFilter({ label, placeholder, findFault, onAdd }: TextFilterProps) {
  const [text, setText] = useState("")
  const [fault, setFault] = useState<string>()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const value = text.trim()
        if (!value) return
        const found = findFault?.(value)
        setFault(found)
        if (found) return
        onAdd(value)
        setText("")
      }}
    >
      <TextField
        label={label}
        error={fault}
        autoComplete="off"
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  )
}
