import { Button } from "./button.tsx"
import { Time } from "./time.tsx"

interface Props {
  at: string | undefined
  isSearching: boolean
  onSearch(): unknown
}

/** How far back a search has looked. */
export function SearchedBack({ at, isSearching, onSearch }: Props) {
  if (!at) return null
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p className="text-muted">
        Searched back to <Time at={at} />.
      </p>
      <Button busy={isSearching} onClick={onSearch}>
        Search further back
      </Button>
    </div>
  )
}
