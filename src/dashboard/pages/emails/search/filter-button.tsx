import { ListFilter } from "lucide-react"
import { Suspense, useState } from "react"
import { lazy } from "../../../app/lazy.ts"
import { Button } from "../../../ui/button.tsx"
import type { Chip } from "./query.ts"

const FilterPanel = lazy(() => import("./filter-panel.tsx"))

export interface FilterProps {
  chips: readonly Chip[]
  onChange(chips: Chip[]): void
}

/** Opens the fields of all filters, whose code is loaded when it is first pressed. */
export function FilterButton(props: FilterProps) {
  const [wanted, setWanted] = useState(false)
  const content = (
    <>
      <ListFilter size={14} aria-hidden /> Filter
    </>
  )
  const closed = (
    <Button aria-haspopup="dialog" aria-expanded={false} onClick={() => setWanted(true)}>
      {content}
    </Button>
  )
  if (!wanted) return closed
  return (
    <Suspense fallback={closed}>
      <FilterPanel trigger={<Button>{content}</Button>} {...props} />
    </Suspense>
  )
}
