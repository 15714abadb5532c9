import { COLUMN_SHARES } from "../../../../worker/campaigns/blocks/column-shares.ts"
import { percentOf } from "../../../../worker/campaigns/blocks/render-columns.ts"
import { columnOf, type Draft, placeOf } from "../draft/draft.ts"

/** The widest that the block can be drawn, in pixels: all of the message, or of its column. */
export function widthOf(drafts: readonly Draft[], key: string, contentWidth: number): number {
  const list = placeOf(drafts, key)?.list ?? ""
  const row = drafts.find((draft) => list.startsWith(`${draft.key}/`))
  if (row?.kind !== "columns") return contentWidth
  const share = COLUMN_SHARES[row.layout][columnOf(list)] ?? 1
  return Math.round((contentWidth * percentOf(share)) / 100)
}
