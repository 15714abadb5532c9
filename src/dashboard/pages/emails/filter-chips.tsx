import { X } from "lucide-react"
import { type Chip, chipText } from "./query.ts"

/** The filters of a search, each with a button that removes it. */
export function FilterChips({
  chips,
  onChange,
}: {
  chips: readonly Chip[]
  onChange(chips: Chip[]): void
}) {
  if (chips.length === 0) return null
  return (
    <ul aria-label="Filters" className="col-span-full flex basis-full flex-wrap gap-1.5">
      {chips.map((chip) => (
        <li
          key={chipText(chip)}
          className="flex min-w-0 items-center rounded-md border bg-sunken pl-2"
        >
          <span className="min-w-0 truncate">{chipText(chip)}</span>
          <button
            type="button"
            aria-label={`Remove ${chipText(chip)}`}
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
