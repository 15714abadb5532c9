import { useDroppable } from "@dnd-kit/core"
import { SortableContext, useSortable, verticalListSortingStrategy } from "@dnd-kit/sortable"
import { GripVertical } from "lucide-react"
import { cx } from "../../ui/cx.ts"
import { AddToColumn } from "./add-blocks.tsx"
import { BlockForm } from "./block-form.tsx"
import { columnId, type Draft, type DraftColumns, type ListId } from "./draft.ts"
import { useEditor } from "./editor-context.ts"
import { KINDS, summaryOf } from "./kinds.ts"
import { moveByKey, RowActions, type RowProps } from "./row-actions.tsx"

export function BlockList({
  list,
  blocks,
  label,
}: {
  list: ListId
  blocks: readonly Draft[]
  label: string
}) {
  return (
    <SortableContext items={blocks.map(({ key }) => key)} strategy={verticalListSortingStrategy}>
      <ol aria-label={label} className="grid min-w-0 gap-2">
        {blocks.map((block, index) => (
          <BlockRow key={block.key} block={block} list={list} index={index} of={blocks.length} />
        ))}
      </ol>
    </SortableContext>
  )
}

function ColumnLists({ block }: { block: DraftColumns }) {
  return (
    <div className="grid gap-2 border-t p-2">
      {block.columns.map((cells, index) => (
        <Column key={columnId(block.key, index)} list={columnId(block.key, index)} cells={cells} />
      ))}
    </div>
  )
}

function Column({ list, cells }: { list: ListId; cells: readonly Draft[] }) {
  const { setNodeRef, isOver } = useDroppable({ id: list })
  const name = `Column ${Number(list.split("/")[1]) + 1}`
  return (
    <div
      ref={setNodeRef}
      data-column
      className={`grid min-w-0 gap-1 rounded-md bg-sunken p-2 ${isOver ? "outline-2 outline-focus" : ""}`}
    >
      <p className="text-xs text-muted">{name}</p>
      <BlockList list={list} blocks={cells} label={name} />
      <div>
        <AddToColumn list={list} index={cells.length} />
      </div>
    </div>
  )
}

function BlockRow({ block, list, index, of }: RowProps) {
  const editor = useEditor()
  const { key } = block
  const { label, icon: Icon } = KINDS[block.kind]
  const open = editor.selected === key
  const problems = Object.values(editor.problems.get(key) ?? {})
  const { setNodeRef, setActivatorNodeRef, listeners, transform, transition, isDragging } =
    useSortable({ id: key })
  const moved = transform && `translate(${transform.x}px, ${transform.y}px)`
  return (
    <li
      ref={setNodeRef}
      style={{ transform: moved ?? undefined, transition }}
      className={cx(
        "min-w-0 rounded-md border bg-raised",
        isDragging && "relative z-10 shadow-float",
      )}
    >
      <div className="flex min-w-0 items-center gap-1 p-1">
        <span
          ref={setActivatorNodeRef}
          {...listeners}
          aria-hidden
          className="flex size-7 shrink-0 cursor-grab touch-none items-center justify-center text-muted"
        >
          <GripVertical size={14} />
        </span>
        <button
          type="button"
          id={`${key}-head`}
          aria-expanded={open}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete Control+D"
          onClick={() => editor.select(open ? null : key)}
          onKeyDown={(event) => moveByKey(event, editor, { block, list, index, of })}
          className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-1 text-left"
        >
          <Icon size={14} aria-hidden className="shrink-0 text-muted" />
          <span className="shrink-0 font-medium">{label}</span>
          <span className="min-w-0 truncate text-muted">{summaryOf(block)}</span>
          {problems.length > 0 && (
            <span className="ml-auto shrink-0 text-xs text-failed">{problems[0]}</span>
          )}
        </button>
        <RowActions block={block} list={list} index={index} of={of} />
      </div>
      {open && <BlockForm block={block} />}
      {block.kind === "columns" && <ColumnLists block={block} />}
    </li>
  )
}
