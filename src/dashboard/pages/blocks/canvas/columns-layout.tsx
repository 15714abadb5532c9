import { COLUMN_SHARES } from "../../../../worker/campaigns/blocks/column-shares.ts"
import { SelectField } from "../../../ui/menu/select.tsx"
import type { Cell, DraftColumns } from "../draft/draft.ts"
import { useBlockActions } from "./canvas-context.ts"

type Layout = DraftColumns["layout"]
const LAYOUTS = Object.keys(COLUMN_SHARES) as Layout[]

/** If columns are removed, their blocks move to the last remaining column. */
export function ColumnsLayout({ block }: { block: DraftColumns }) {
  const actions = useBlockActions()
  const choose = (layout: Layout) =>
    actions.update(block.key, {
      layout,
      columns: fitted(block.columns, COLUMN_SHARES[layout].length),
    })
  return (
    <SelectField
      label="Widths"
      value={block.layout}
      onChange={choose}
      options={LAYOUTS.map((layout) => [layout, layout.replaceAll("-", " : ")] as const)}
    />
  )
}

function fitted(columns: readonly Cell[][], count: number): Cell[][] {
  const kept = columns.slice(0, count)
  const [last = [], ...before] = kept.toReversed()
  const lost = columns.slice(count).flat()
  const all = [...before.toReversed(), [...last, ...lost]]
  return [...all, ...Array.from({ length: Math.max(0, count - all.length) }, () => [])]
}
