import { createContext, useContext } from "react"
import {
  type Changes,
  type Draft,
  duplicate,
  insert,
  type Kind,
  type ListId,
  listsOf,
  move,
  newDraft,
  placeOf,
  remove,
  TOP,
  update,
} from "./draft.ts"
import { KINDS } from "./kinds.ts"
import type { Problems } from "./problems.ts"

export interface EditorInput {
  drafts: readonly Draft[]
  problems: Problems
  /** The merge fields that the menus offer. */
  fields: readonly string[]
  change(next: (drafts: readonly Draft[]) => Draft[], step?: string): void
}

export interface Editor extends EditorInput {
  selected: string | null
  select(key: string | null): void
  /** Read out by screen readers. */
  announce(text: string): void
}

export const EditorContext = createContext<Editor | null>(null)

export function useEditor(): Editor {
  const editor = useContext(EditorContext)
  if (!editor) throw new Error("Outside of the editor")
  return editor
}

/** The actions on blocks. Each announces its effect. */
export function actionsOf(editor: Editor) {
  const { drafts, change, select, announce } = editor
  const labelOf = (key: string) =>
    KINDS[[...listsOf(drafts).values()].flat().find((one) => one.key === key)?.kind ?? "text"].label

  function moveTo(key: string, list: ListId, index: number) {
    const length = listsOf(drafts).get(list)?.length ?? 0
    const from = placeOf(drafts, key)
    if (!from || index < 0 || index > (from.list === list ? length - 1 : length)) return
    change((before) => move(before, key, { list, index }))
    const total = from.list === list ? length : length + 1
    announce(`${labelOf(key)} moved to position ${index + 1} of ${total}`)
    focusBlock(key)
  }

  return {
    moveTo,
    moveBy(key: string, step: number) {
      const place = placeOf(drafts, key)
      if (place) moveTo(key, place.list, place.index + step)
    },
    add(kind: Kind, list: ListId, index: number) {
      const draft = newDraft(kind)
      change((before) => insert(before, { list, index }, draft))
      select(draft.key)
      announce(`${KINDS[kind].label} added`)
    },
    /**
     * Adds after the selected block. Columns are added after the columns that contain the block.
     */
    addAfterSelected(kind: Kind) {
      const place = editor.selected ? placeOf(drafts, editor.selected) : undefined
      if (!place) this.add(kind, TOP, drafts.length)
      else if (kind === "columns" && place.list !== TOP) {
        const around = drafts.findIndex(({ key }) => place.list.startsWith(`${key}/`))
        this.add(kind, TOP, around + 1)
      } else this.add(kind, place.list, place.index + 1)
    },
    duplicate(key: string) {
      const copy = duplicate(drafts, key)
      change(() => copy.drafts)
      select(copy.key)
      announce(`${labelOf(key)} duplicated`)
    },
    remove(key: string) {
      const place = placeOf(drafts, key)
      const rest =
        place &&
        listsOf(drafts)
          .get(place.list)
          ?.filter((one) => one.key !== key)
      const next = rest?.[Math.min(place?.index ?? 0, rest.length - 1)]
      change((before) => remove(before, key))
      select(null)
      announce(`${labelOf(key)} removed. Undo brings it back.`)
      if (next) focusBlock(next.key)
    },
    update(key: string, changes: Changes) {
      change((before) => update(before, key, changes), `${key} ${Object.keys(changes).join()}`)
    },
  }
}

const focusBlock = (key: string) =>
  requestAnimationFrame(() => document.getElementById(`${key}-head`)?.focus())
