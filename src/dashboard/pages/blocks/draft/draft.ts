import type { Block, CellBlock } from "../../../../worker/campaigns/blocks/contract.ts"

type ColumnsBlock = Extract<Block, { kind: "columns" }>
export type Kind = Block["kind"]

/** A block in the editor, with a key that stays while its values change. */
export type Cell = CellBlock & { key: string }
export type DraftColumns = Omit<ColumnsBlock, "columns"> & { key: string; columns: Cell[][] }
export type Draft = Cell | DraftColumns

/** The list that holds a block: the message itself, or a column. */
export type ListId = string
export const TOP: ListId = "top"
export const columnId = (key: string, column: number): ListId => `${key}/${column}`

export interface Place {
  list: ListId
  index: number
}

let keys = 0
const newKey = () => `block-${++keys}`

export const toDrafts = (blocks: readonly Block[]): Draft[] =>
  blocks.map((block) =>
    block.kind === "columns"
      ? { ...block, key: newKey(), columns: block.columns.map((cells) => cells.map(keyed)) }
      : keyed(block),
  )

const keyed = (block: CellBlock): Cell => ({ ...block, key: newKey() })

export const toBlocks = (drafts: readonly Draft[]): Block[] =>
  drafts.map((draft) =>
    draft.kind === "columns"
      ? { ...keyless(draft), columns: draft.columns.map((cells) => cells.map(keyless)) }
      : (keyless(draft) as CellBlock),
  ) as Block[]

const isWritten = (draft: Draft) => draft.kind !== "text" || draft.html !== ""

/** A text that nobody has written yet is a place for the caret, and no part of the message. */
export const written = (drafts: readonly Draft[]): Draft[] =>
  drafts
    .filter(isWritten)
    .map((draft) =>
      draft.kind === "columns"
        ? { ...draft, columns: draft.columns.map((cells) => cells.filter(isWritten)) }
        : draft,
    )

function keyless<T extends { key: string }>({ key: _, ...block }: T): Omit<T, "key"> {
  return block
}

const EMPTY: { [K in CellBlock["kind"]]: Extract<CellBlock, { kind: K }> } = {
  heading: { kind: "heading", level: 2, text: "" },
  text: { kind: "text", html: "" },
  button: { kind: "button", label: "", url: "" },
  image: { kind: "image", url: "", alt: "" },
  divider: { kind: "divider" },
  spacer: { kind: "spacer", size: 24 },
  html: { kind: "html", html: "" },
}

export const newDraft = (kind: Kind): Draft =>
  kind === "columns"
    ? { kind, layout: "1-1", columns: [[], []], key: newKey() }
    : keyed(EMPTY[kind])

/** All lists with their blocks, the message first. */
export function listsOf(drafts: readonly Draft[]): Map<ListId, readonly Draft[]> {
  const lists = new Map<ListId, readonly Draft[]>([[TOP, drafts]])
  for (const draft of drafts) {
    if (draft.kind !== "columns") continue
    for (const [index, cells] of draft.columns.entries()) {
      lists.set(columnId(draft.key, index), cells)
    }
  }
  return lists
}

export function placeOf(drafts: readonly Draft[], key: string): Place | undefined {
  for (const [list, blocks] of listsOf(drafts)) {
    const index = blocks.findIndex((block) => block.key === key)
    if (index !== -1) return { list, index }
  }
  return undefined
}

export function draftOf(drafts: readonly Draft[], key: string): Draft | undefined {
  const place = placeOf(drafts, key)
  return place && listsOf(drafts).get(place.list)?.[place.index]
}

function changeList(
  drafts: readonly Draft[],
  list: ListId,
  change: (blocks: readonly Draft[]) => readonly Draft[],
): Draft[] {
  if (list === TOP) return [...change(drafts)]
  return drafts.map((draft) => {
    if (draft.kind !== "columns") return draft
    const columns = draft.columns.map((cells, index) =>
      columnId(draft.key, index) === list ? (change(cells) as Cell[]) : cells,
    )
    return { ...draft, columns }
  })
}

/** Columns hold no columns, so such an insertion changes nothing. */
export const insert = (drafts: readonly Draft[], { list, index }: Place, draft: Draft): Draft[] =>
  draft.kind === "columns" && list !== TOP
    ? [...drafts]
    : changeList(drafts, list, (blocks) => blocks.toSpliced(index, 0, draft))

export function remove(drafts: readonly Draft[], key: string): Draft[] {
  const place = placeOf(drafts, key)
  if (!place) return [...drafts]
  return changeList(drafts, place.list, (blocks) => blocks.toSpliced(place.index, 1))
}

/** `to.index` is the block's index after the move. */
export function move(drafts: readonly Draft[], key: string, to: Place): Draft[] {
  const draft = draftOf(drafts, key)
  if (!draft || (draft.kind === "columns" && to.list !== TOP)) return [...drafts]
  return insert(remove(drafts, key), to, draft)
}

export function duplicate(drafts: readonly Draft[], key: string): { drafts: Draft[]; key: string } {
  const place = placeOf(drafts, key)
  const draft = draftOf(drafts, key)
  const [copy] = draft ? toDrafts(toBlocks([draft])) : []
  if (!place || !copy) return { drafts: [...drafts], key }
  return {
    drafts: insert(drafts, { list: place.list, index: place.index + 1 }, copy),
    key: copy.key,
  }
}

/** Columns hold no columns: then nothing changes. */
export function replace(drafts: readonly Draft[], key: string, draft: Draft): Draft[] {
  const place = placeOf(drafts, key)
  if (!place || (draft.kind === "columns" && place.list !== TOP)) return [...drafts]
  return insert(remove(drafts, key), place, draft)
}

/** The place after a block, or the end. Columns have it after the columns that hold the block. */
export function placeAfter(drafts: readonly Draft[], key: string | null, kind: Kind): Place {
  const place = key === null ? undefined : placeOf(drafts, key)
  if (!place) return { list: TOP, index: drafts.length }
  if (kind !== "columns" || place.list === TOP) return { ...place, index: place.index + 1 }
  const around = drafts.findIndex((one) => place.list.startsWith(`${one.key}/`))
  return { list: TOP, index: around + 1 }
}

/** All keys as one reads the message: columns, then what they hold. */
export const keysInOrder = (drafts: readonly Draft[]): string[] =>
  drafts.flatMap((draft) => [
    draft.key,
    ...(draft.kind === "columns" ? draft.columns.flat().map(({ key }) => key) : []),
  ])

/** The columns beside a block: the others of its row, or those of the row above or below it. */
export function columnsBeside(drafts: readonly Draft[], { list, index }: Place): ListId[] {
  const beside =
    list === TOP
      ? [drafts[index - 1], drafts[index + 1]]
      : drafts.filter(({ key }) => list.startsWith(`${key}/`))
  const row = beside.find((one) => one?.kind === "columns")
  if (row?.kind !== "columns") return []
  return row.columns.map((_, column) => columnId(row.key, column)).filter((id) => id !== list)
}

export const columnOf = (list: ListId) => Number(list.split("/")[1])

export type Changes = Record<string, unknown>

/** A value of `undefined` takes the field away. */
export function update(drafts: readonly Draft[], key: string, changes: Changes): Draft[] {
  const place = placeOf(drafts, key)
  if (!place) return [...drafts]
  return changeList(drafts, place.list, (blocks) =>
    blocks.map((block) => (block.key === key ? (withChanges(block, changes) as Draft) : block)),
  )
}

export const withChanges = (value: object, changes: Changes) =>
  Object.fromEntries(
    Object.entries({ ...value, ...changes }).filter(([, member]) => member !== undefined),
  )
