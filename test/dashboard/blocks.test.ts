import { describe, expect, it } from "vitest"
import {
  columnId,
  type Draft,
  type DraftColumns,
  duplicate,
  insert,
  keysInOrder,
  move,
  newDraft,
  placeAfter,
  placeOf,
  remove,
  replace,
  TOP,
  toBlocks,
  toDrafts,
  update,
  written,
} from "../../src/dashboard/pages/blocks/draft/draft.ts"
import { findProblems } from "../../src/dashboard/pages/blocks/problems.ts"
import type { Block } from "../../src/worker/campaigns/blocks/contract.ts"

const blocks: Block[] = [
  { kind: "heading", level: 1, text: "One" },
  {
    kind: "columns",
    layout: "1-1",
    columns: [[{ kind: "text", html: "Left" }], [{ kind: "divider" }]],
  },
  { kind: "button", label: "Go", url: "https://example.com" },
]

const drafts = toDrafts(blocks)
const [heading, columns, button] = drafts as [Draft, Draft, Draft]
const kinds = (list: readonly Draft[]) =>
  toBlocks(list).map((block) =>
    block.kind === "columns"
      ? block.columns.map((cells) => cells.map(({ kind }) => kind))
      : block.kind,
  )

describe("blocks in the editor", () => {
  it("come back as they were", () => {
    expect(toBlocks(drafts)).toEqual(blocks)
  })

  it("have a key each", () => {
    const keys = [...drafts, ...toDrafts(blocks)].map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it("move within the message", () => {
    expect(kinds(move(drafts, button.key, { list: TOP, index: 0 }))).toEqual([
      "button",
      "heading",
      [["text"], ["divider"]],
    ])
  })

  it("move into a column and out again", () => {
    const into = move(drafts, button.key, { list: columnId(columns.key, 1), index: 1 })
    expect(kinds(into)).toEqual(["heading", [["text"], ["divider", "button"]]])
    expect(placeOf(into, button.key)).toEqual({ list: columnId(columns.key, 1), index: 1 })
    expect(kinds(move(into, button.key, { list: TOP, index: 2 }))).toEqual(kinds(drafts))
  })

  it("columns cannot be put into a column", () => {
    const place = { list: columnId(columns.key, 0), index: 0 }
    expect(insert(drafts, place, newDraft("columns"))).toEqual(drafts)
    expect(move(drafts, columns.key, place)).toEqual(drafts)
  })

  it("are duplicated with all that they hold, under new keys", () => {
    const copied = duplicate(drafts, columns.key)
    expect(kinds(copied.drafts)).toEqual([
      "heading",
      [["text"], ["divider"]],
      [["text"], ["divider"]],
      "button",
    ])
    expect(copied.drafts[2]?.key).toBe(copied.key)
    expect(copied.key).not.toBe(columns.key)
  })

  it("are changed, and lose a field by undefined", () => {
    const colored = update(drafts, heading.key, { color: "#112233", text: "Two" })
    expect(toBlocks(colored)[0]).toEqual({ ...blocks[0], color: "#112233", text: "Two" })
    expect(toBlocks(update(colored, heading.key, { color: undefined }))[0]).toEqual({
      ...blocks[0],
      text: "Two",
    })
  })

  it("are replaced where they stand, under a new key", () => {
    const image = newDraft("image")
    const replaced = replace(drafts, heading.key, image)
    expect(kinds(replaced)).toEqual(["image", [["text"], ["divider"]], "button"])
    expect(placeOf(replaced, image.key)).toEqual({ list: TOP, index: 0 })
    expect(placeOf(replaced, heading.key)).toBeUndefined()
  })

  it("columns do not replace a block of a column", () => {
    const [left] = (columns as DraftColumns).columns.flat()
    expect(replace(drafts, String(left?.key), newDraft("columns"))).toEqual(drafts)
  })

  it("are added after another one, columns after the columns around it", () => {
    const [left] = (columns as DraftColumns).columns.flat()
    const inColumn = { list: columnId(columns.key, 0), index: 1 }
    expect(placeAfter(drafts, heading.key, "text")).toEqual({ list: TOP, index: 1 })
    expect(placeAfter(drafts, String(left?.key), "text")).toEqual(inColumn)
    expect(placeAfter(drafts, String(left?.key), "columns")).toEqual({ list: TOP, index: 2 })
    expect(placeAfter(drafts, null, "text")).toEqual({ list: TOP, index: 3 })
  })

  it("are stepped through as one reads the message", () => {
    const cells = (columns as DraftColumns).columns.flat().map(({ key }) => key)
    expect(keysInOrder(drafts)).toEqual([heading.key, columns.key, ...cells, button.key])
  })

  it("are removed", () => {
    expect(kinds(remove(drafts, columns.key))).toEqual(["heading", "button"])
  })
})

describe("the problems of blocks", () => {
  it("are none where the API takes them", () => {
    expect(findProblems(drafts)).toEqual({ byBlock: new Map(), general: null })
  })

  it("are at their block and field, also in a column", () => {
    const image = newDraft("image")
    const broken = insert(
      update(drafts, heading.key, { text: "" }),
      { list: columnId(columns.key, 0), index: 0 },
      image,
    )
    const { byBlock } = findProblems(broken)
    expect(byBlock.get(heading.key)).toEqual({ text: "Enter text" })
    expect(byBlock.get(image.key)).toEqual({
      url: "Upload an image or enter its URL",
    })
  })

  it("are none for a text that nobody has written, which is no part of the message", () => {
    const empty = newDraft("text")
    const waiting = insert(drafts, { list: columnId(columns.key, 0), index: 0 }, empty)
    expect(findProblems([...waiting, newDraft("text")]).byBlock).toEqual(new Map())
    expect(toBlocks(written(waiting))).toEqual(toBlocks(drafts))
    expect(findProblems([empty]).general).toBe("Write something or add a block first")
  })

  it("of no block at all are said once", () => {
    expect(findProblems([]).general).toBe("Write something or add a block first")
  })
})
