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
  const { drag } = useEditor()
  const others = blocks.filter(({ key }) => key !== drag?.key)
  const to = drag?.to.list === list ? drag.to.index : -1
  const lineOf = (block: Draft) => {
    if (others[to] === block) return LINE_BEFORE
    return to === others.length && others.at(-1) === block && LINE_AFTER
  }
  return (
    <ol aria-label={label} className="grid min-w-0 gap-2">
      {blocks.map((block, index) => (
        <BlockRow
          key={block.key}
          {...{ block, list, index }}
          of={blocks.length}
          line={lineOf(block)}
        />
      ))}
    </ol>
  )
}

/** Where the dragged block would go. */
const LINE = "absolute inset-x-0 h-0.5 bg-focus"
const LINE_BEFORE = `${LINE} -top-1.5`
const LINE_AFTER = `${LINE} -bottom-1.5`

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
  const isOver = useEditor().drag?.to.list === list
  const name = `Column ${Number(list.split("/")[1]) + 1}`
  return (
    <div
      data-list={list}
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

function BlockRow({ block, list, index, of, line }: RowProps & { line: string | false }) {
  const editor = useEditor()
  const { key } = block
  const { label, icon: Icon } = KINDS[block.kind]
  const open = editor.selected === key
  const problems = Object.values(editor.problems.get(key) ?? {})
  const isHeld = editor.drag?.key === key
  return (
    <li
      data-in={list}
      className={cx(
        "relative min-w-0 rounded-md border bg-raised",
        isHeld && "z-10 opacity-80 shadow-float",
      )}
    >
      {line && <div className={line} />}
      <div className="flex min-w-0 items-center gap-1 p-1">
        <span
          onPointerDown={(event) => editor.grab(event, key, block.kind === "columns")}
          aria-hidden
          className="flex size-7 shrink-0 cursor-grab touch-none select-none active:cursor-grabbing items-center justify-center text-muted"
        >
          <GripVertical size={14} />
        </span>
        <button
          type="button"
          id={`${key}-head`}
          aria-expanded={open}
          aria-describedby="block-keys"
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
