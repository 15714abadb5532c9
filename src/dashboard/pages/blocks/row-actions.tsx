import { ArrowDown, ArrowUp, Ellipsis } from "lucide-react"
import type { KeyboardEvent } from "react"
import { IconButton } from "../../ui/button.tsx"
import { Menu, type MenuItems } from "../../ui/menu.tsx"
import { type Draft, type ListId, listsOf, TOP } from "./draft.ts"
import { actionsOf, type Editor, useEditor } from "./editor-context.ts"
import { KINDS } from "./kinds.ts"

export interface RowProps {
  block: Draft
  list: ListId
  index: number
  /** How many blocks the list has. */
  of: number
}

export function RowActions({ block, list, index, of }: RowProps) {
  const editor = useEditor()
  const actions = actionsOf(editor)
  const name = `${KINDS[block.kind].label} ${index + 1}`
  return (
    <div className="flex shrink-0">
      <IconButton
        label={`Move ${name} up`}
        className="max-sm:hidden"
        disabledBecause={index === 0 && "It is the first"}
        onClick={() => actions.moveBy(block.key, -1)}
      >
        <ArrowUp size={14} aria-hidden />
      </IconButton>
      <IconButton
        label={`Move ${name} down`}
        className="max-sm:hidden"
        disabledBecause={index === of - 1 && "It is the last"}
        onClick={() => actions.moveBy(block.key, 1)}
      >
        <ArrowDown size={14} aria-hidden />
      </IconButton>
      <Menu
        trigger={
          <IconButton label={`More for ${name}`}>
            <Ellipsis size={14} aria-hidden />
          </IconButton>
        }
        items={menuOf(editor, { block, list, index, of })}
      />
    </div>
  )
}

function menuOf(editor: Editor, { block, list, index, of }: RowProps): MenuItems {
  const actions = actionsOf(editor)
  const { key } = block
  const lists = listsOf(editor.drafts)
  const columns = block.kind === "columns" ? [] : neighbours(editor, list, index)
  const around = editor.drafts.findIndex((one) => list.startsWith(`${one.key}/`))
  return [
    index > 0 && { label: "Move up", onSelect: () => actions.moveBy(key, -1) },
    index < of - 1 && { label: "Move down", onSelect: () => actions.moveBy(key, 1) },
    ...columns.map((column) => ({
      label: `Move to column ${Number(column.split("/")[1]) + 1}`,
      onSelect: () => actions.moveTo(key, column, lists.get(column)?.length ?? 0),
    })),
    list !== TOP && {
      label: "Move out of the columns",
      onSelect: () => actions.moveTo(key, TOP, around + 1),
    },
    { label: "Duplicate", onSelect: () => actions.duplicate(key) },
    { label: "Remove", danger: true, onSelect: () => actions.remove(key) },
  ]
}

/** The columns that a block can move to: the others of its row, or those of the row beside it. */
function neighbours({ drafts }: Editor, list: ListId, index: number): ListId[] {
  const beside =
    list === TOP
      ? [drafts[index - 1], drafts[index + 1]]
      : drafts.filter(({ key }) => list.startsWith(`${key}/`))
  const found = beside.find((one) => one?.kind === "columns")
  if (found?.kind !== "columns") return []
  return found.columns.map((_, column) => `${found.key}/${column}`).filter((id) => id !== list)
}

export function moveByKey(event: KeyboardEvent, editor: Editor, { block, list, index }: RowProps) {
  const actions = actionsOf(editor)
  const step = event.altKey ? STEPS[event.key] : undefined
  const column = event.altKey ? COLUMN_STEPS[event.key] : undefined
  if (step) actions.moveTo(block.key, list, index + step)
  else if (column && list !== TOP) {
    const [columns = "", at = "0"] = list.split("/")
    const next = `${columns}/${Number(at) + column}`
    const length = listsOf(editor.drafts).get(next)?.length
    if (length !== undefined) actions.moveTo(block.key, next, length)
  } else if (event.key === "Delete") actions.remove(block.key)
  else if (event.key === "d" && (event.ctrlKey || event.metaKey)) actions.duplicate(block.key)
  else return
  event.preventDefault()
}

const STEPS: Record<string, number> = { ArrowUp: -1, ArrowDown: 1 }
const COLUMN_STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 }
