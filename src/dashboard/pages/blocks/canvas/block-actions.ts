import {
  type Changes,
  type Draft,
  draftOf,
  duplicate,
  insert,
  type Kind,
  type ListId,
  listsOf,
  move,
  newDraft,
  placeAfter,
  placeOf,
  remove,
  replace,
  update,
} from "../draft/draft.ts"
import type { Canvas } from "./canvas-context.ts"
import { focusBlock, type Part } from "./focus-block.ts"
import { KINDS, summaryOf } from "./kinds.ts"

/** The actions on blocks. Each announces its effect and leaves the focus where one goes on. */
export function blockActions(canvas: Canvas) {
  const { read, change, select, announce } = canvas
  const labelOf = (key: string) => KINDS[draftOf(read().blocks, key)?.kind ?? "text"].label

  function moveTo(key: string, list: ListId, index: number, part: Part = "handle") {
    const { blocks } = read()
    const length = listsOf(blocks).get(list)?.length ?? 0
    const from = placeOf(blocks, key)
    if (!from || index < 0 || index > (from.list === list ? length - 1 : length)) return
    change((before) => move(before, key, { list, index }))
    const total = from.list === list ? length : length + 1
    announce(`${labelOf(key)} moved to position ${index + 1} of ${total}`)
    focusBlock(key, part)
  }

  function focusAdded(draft: Draft) {
    select(draft.key)
    announce(`${KINDS[draft.kind].label} added`)
    focusBlock(draft.key, "text")
  }

  function add(kind: Kind, list: ListId, index: number, values: Changes = {}) {
    const draft = { ...newDraft(kind), ...values } as Draft
    change((before) => insert(before, { list, index }, draft))
    focusAdded(draft)
    return draft.key
  }

  function removeBlock(key: string, part: Part = "handle") {
    const { blocks } = read()
    const place = placeOf(blocks, key)
    const rest =
      place &&
      listsOf(blocks)
        .get(place.list)
        ?.filter((one) => one.key !== key)
    const at = Math.max(0, (place?.index ?? 0) - (part === "text" ? 1 : 0))
    const next = rest?.[Math.min(at, rest.length - 1)]
    change((before) => remove(before, key))
    select(next?.key ?? null)
    announce(`${labelOf(key)} removed. Undo brings it back.`)
    if (next) focusBlock(next.key, part)
  }

  return {
    add,
    moveTo,
    remove: removeBlock,
    moveBy(key: string, step: number, part?: Part) {
      const place = placeOf(read().blocks, key)
      if (place) moveTo(key, place.list, place.index + step, part)
    },
    /** Adds after a block, or at the end. Columns stand after the columns that hold the block. */
    addAfter(key: string | null, kind: Kind, values?: Changes): string {
      const { list, index } = placeAfter(read().blocks, key, kind)
      return add(kind, list, index, values)
    },
    /** Puts a new block in the place of an empty one, or after one that is not. */
    exchange(key: string, kind: Kind) {
      const draft = newDraft(kind)
      const before = draftOf(read().blocks, key)
      if (before && summaryOf(before) !== "") {
        const { list, index } = placeAfter(read().blocks, key, kind)
        return void add(kind, list, index)
      }
      change((before) => replace(before, key, draft))
      focusAdded(draft)
    },
    duplicate(key: string) {
      const copy = duplicate(read().blocks, key)
      change(() => copy.drafts)
      select(copy.key)
      announce(`${labelOf(key)} duplicated`)
      focusBlock(copy.key, "handle")
    },
    update(key: string, changes: Changes) {
      change((before) => update(before, key, changes), `${key} ${Object.keys(changes).join()}`)
    },
  }
}
