import { useQuery } from "@tanstack/react-query"
import { X } from "lucide-react"
import { domainsQuery } from "../../../api/queries.ts"
import type { FilterProps } from "./filter-button.tsx"
import { chipText } from "./query.ts"

/** The filters of a search, each with a button that removes it. */
export function FilterChips({ chips, onChange }: FilterProps) {
  const hasDomain = chips.some(({ name }) => name === "domain")
  const { data } = useQuery({ ...domainsQuery, enabled: hasDomain })
  const shown = chips.map((chip) => {
    const domain = chip.name === "domain" && data?.data.find(({ id }) => id === chip.value)
    return { chip, text: chipText(domain ? { ...chip, value: domain.name } : chip) }
  })
  if (chips.length === 0) return null
  return (
    <ul aria-label="Filters" className="flex basis-full flex-wrap gap-1.5">
      {shown.map(({ chip, text }) => (
        <li key={text} className="flex min-w-0 items-center rounded-md border bg-sunken pl-2">
          <span className="min-w-0 truncate">{text}</span>
          <button
            type="button"
            aria-label={`Remove ${text}`}
            className="grid size-7 shrink-0 place-items-center text-muted hover:text-ink"
            onClick={() => onChange(chips.filter((one) => one !== chip))}
          >
            <X size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
