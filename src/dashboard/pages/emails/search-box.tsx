import { useEffect, useState } from "react"
import type { Email } from "../../../client/types.ts"
import { EMAIL_STATUSES } from "../../../worker/emails/statuses.ts"
import type { Filters } from "../../app/params.ts"
import { sentence } from "../../ui/badge.tsx"
import { DateInput } from "../../ui/date-input.tsx"
import { Select } from "../../ui/select.tsx"
import { FilterChips } from "./filter-chips.tsx"
import { type Chip, readQuery, withFilter, writeQuery } from "./query.ts"
import { SearchInput } from "./search-input.tsx"

const PRESETS = [
  ["", "Any time"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["90d", "Last 90 days"],
] as const

interface Props {
  q: string
  from: string
  to: string
  /** The emails that are shown. */
  emails: readonly Email[]
  onChange(changes: Filters, isTyped?: boolean): void
}

export function SearchBox({ q, from, to, emails, onChange }: Props) {
  const { chips, words } = readQuery(q)
  const [text, setText] = useState(words)
  useEffect(() => setText(words), [words])
  const typed = writeQuery(chips, text)
  const search = (q: string) => {
    const read = readQuery(q)
    setText(read.words)
    onChange({ q: writeQuery(read.chips, read.words) })
  }
  const chosen = (name: Chip["name"]) => chips.find((chip) => chip.name === name)?.value ?? ""
  const choose = (name: Chip["name"], value: string) => search(withFilter(typed, name, value))
  return (
    <search className="flex flex-wrap gap-2 max-sm:grid max-sm:grid-cols-2">
      <SearchInput
        text={text}
        emails={emails}
        onType={setText}
        onSearch={(text) => search(writeQuery(chips, text))}
      />
      <Select
        aria-label="Status"
        className="w-40! max-sm:w-full!"
        value={chosen("status")}
        onChange={(status) => choose("status", status)}
        options={[
          ["", "Any status"],
          ...EMAIL_STATUSES.map((one) => [one, sentence(one)] as const),
        ]}
      />
      <Select
        aria-label="Time"
        className="w-40! max-sm:w-full!"
        value={PRESETS.some(([value]) => value === chosen("since")) ? chosen("since") : ""}
        onChange={(since) => choose("since", since)}
        options={PRESETS}
      />
      <div className="contents">
        <Day label="From" day={from} max={to} onChange={(day) => onChange({ from: day }, !!from)} />
        <Day label="To" day={to} min={from} onChange={(day) => onChange({ to: day }, !!to)} />
      </div>
      <FilterChips chips={chips} onChange={(left) => search(writeQuery(left, text))} />
    </search>
  )
}

interface DayProps {
  label: string
  day: string
  min?: string
  max?: string
  onChange(day: string): void
}

const Day = ({ label, day, ...props }: DayProps) => (
  <div className="flex items-center gap-1.5">
    <span aria-hidden className="text-muted">
      {label}
    </span>
    <DateInput {...props} value={day} aria-label={label} className="w-36! max-sm:w-full!" />
  </div>
)
