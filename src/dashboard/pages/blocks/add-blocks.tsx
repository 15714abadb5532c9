import { Plus } from "lucide-react"
import { Button } from "../../ui/button.tsx"
import { Menu } from "../../ui/menu.tsx"
import type { Kind, ListId } from "./draft.ts"
import { actionsOf, useEditor } from "./editor-context.ts"
import { KINDS } from "./kinds.ts"

const ALL = Object.keys(KINDS) as Kind[]

/** One button for each kind of block. */
export function AddBlocks() {
  const editor = useEditor()
  const actions = actionsOf(editor)
  return (
    <fieldset className="mt-3 grid gap-2">
      <legend className="mb-2 text-muted">
        {editor.selected ? "Add after the selected block" : "Add a block at the end"}
      </legend>
      <div className="flex flex-wrap gap-2">
        {ALL.map((kind) => {
          const { label, icon: Icon } = KINDS[kind]
          return (
            <Button key={kind} small onClick={() => actions.addAfterSelected(kind)}>
              <Icon size={14} aria-hidden /> {label}
            </Button>
          )
        })}
      </div>
    </fieldset>
  )
}

/** For a column, which holds every kind but columns. */
export function AddToColumn({ list, index }: { list: ListId; index: number }) {
  const editor = useEditor()
  return (
    <Menu
      trigger={
        <Button small kind="quiet" className="text-muted">
          <Plus size={14} aria-hidden /> Add to column {Number(list.split("/")[1]) + 1}
        </Button>
      }
      items={ALL.filter((kind) => kind !== "columns").map((kind) => ({
        label: KINDS[kind].label,
        onSelect: () => actionsOf(editor).add(kind, list, index),
      }))}
    />
  )
}
