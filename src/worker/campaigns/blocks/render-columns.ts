import { COLUMN_SHARES } from "./column-shares.ts"
import type { Block, CellBlock } from "./contract.ts"
import { CARD_MARGIN, PAGE_MARGIN } from "./look.ts"
import { FIXED_TABLE, mso } from "./markup.ts"
import { DEFAULT_SPACE, type Frame, padding, renderBlock } from "./render-block.ts"

type Columns = Block & { kind: "columns" }

const GUTTER_PERCENT = 4

/** Columns stack on screens up to this width; the width of a row on such a screen. */
const NARROW_SCREEN = 480
const NARROW_ROW = NARROW_SCREEN - 2 * (PAGE_MARGIN + CARD_MARGIN)

/** For programs that read style sheets. Other programs use the calculation below. */
export const COLUMN_STYLES = `@media (max-width:${NARROW_SCREEN}px){.column{display:block!important;width:100%!important}.gutter{display:block!important;height:8px}}`

/**
 * All columns of a row stand side by side, or all are stacked. The row's width decides: the
 * calculation is so steep that it always reaches its minimum or its maximum.
 */
const STEEPNESS = 10_000
const WHEN_NARROW = `calc(${(NARROW_ROW + 1) * STEEPNESS}px - ${100 * STEEPNESS}%)`
const WHEN_WIDE = `calc(${100 * STEEPNESS}% - ${NARROW_ROW * STEEPNESS}px)`

export const GUTTER_STYLE = `display:inline-block;width:${GUTTER_PERCENT}%;width:${WHEN_WIDE};max-width:${GUTTER_PERCENT}%`
const GUTTER = `<div class="gutter" style="${GUTTER_STYLE};mso-hide:all"></div>`

export function renderColumns(block: Columns, frame: Frame): string {
  const { spaceTop = 0, spaceBottom = DEFAULT_SPACE } = block
  const cells = block.columns.map((blocks, index) => {
    const percent = percentOf(COLUMN_SHARES[block.layout][index] ?? 1)
    const width = pixels(percent, frame)
    const inner = renderStack(withSpaceBelow(blocks, spaceBottom), { ...frame, width, margin: 0 })
    return { width, html: renderColumn(percent, inner) }
  })
  const gutter = pixels(GUTTER_PERCENT, frame)
  const row = cells
    .map(({ html }) => html)
    .reduce((left, right, index) => {
      const between = mso(`</td><td width="${gutter}"></td><td width="${cells[index]?.width}">`)
      return `${left}${GUTTER}${between}${right}`
    })
  const table = `${FIXED_TABLE} width="${frame.width}"><tr valign="top"><td width="${cells[0]?.width}">`
  const space = padding({ spaceTop, spaceBottom: 0 }, frame.margin)
  return `<tr><td style="${space}">${mso(table)}${row}${mso("</td></tr></table>")}</td></tr>`
}

/** On this grid, a column of 2/3 is as wide as two columns of 1/3 with their gutter. */
export const percentOf = (share: number) =>
  Math.floor((share * (100 + GUTTER_PERCENT) - GUTTER_PERCENT) * 100) / 100

const pixels = (percent: number, { width }: Frame) => Math.floor((width * percent) / 100)

export const columnStyle = (percent: number) =>
  `display:inline-block;vertical-align:top;width:${percent}%;width:${WHEN_NARROW};min-width:${percent}%;max-width:100%`

const renderColumn = (percent: number, inner: string) =>
  `<div class="column" style="${columnStyle(percent)}">${inner}</div>`

const renderStack = (blocks: readonly CellBlock[], frame: Frame) =>
  blocks.length === 0
    ? ""
    : `${FIXED_TABLE} width="100%">${blocks.map((block) => renderBlock(block, frame)).join("")}</table>`

/** Puts the space below a row into each column, so that stacked columns have it, too. */
function withSpaceBelow(blocks: readonly CellBlock[], space: number): CellBlock[] {
  const last = blocks.at(-1)
  return last ? [...blocks.slice(0, -1), spacedBelow(last, space)] : []
}

/** The last block of a column has the space below the row instead of the default. */
export const spacedBelow = <B extends CellBlock>(last: B, space: number): B =>
  last.kind === "spacer"
    ? { ...last, size: last.size + space }
    : { ...last, spaceBottom: (last.spaceBottom ?? 0) + space }
