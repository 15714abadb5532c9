import { useDroppable } from "@dnd-kit/core"
import { SortableContext, useSortable, verticalListSortingStrategy } from "@dnd-kit/sortable"
import { GripVertical } from "lucide-react"
import { Fragment, memo } from "react"
import { COLUMN_SHARES } from "../../../../worker/campaigns/blocks/column-shares.ts"
import { DEFAULT_SPACE, padding } from "../../../../worker/campaigns/blocks/render-block.ts"
import {
  columnStyle,
  GUTTER_STYLE,
  percentOf,
  spacedBelow,
} from "../../../../worker/campaigns/blocks/render-columns.ts"
import { cx } from "../../../ui/cx.ts"
import {
  columnId,
  columnOf,
  type Draft,
  type DraftColumns,
  type ListId,
  TOP,
} from "../draft/draft.ts"
import { styleOf } from "../drawn.ts"
import type { Problems } from "../problems.ts"
import { BlockContent } from "./block-content.tsx"
import { useBlockActions, useCanvas, useUpload } from "./canvas-context.ts"
import { handleId } from "./focus-block.ts"
import { AddBlockMenu } from "./kind-menu.tsx"
import { KINDS, summaryOf } from "./kinds.ts"

interface Marks {
  selected: string | null
  problems: Problems
}

interface ListProps extends Marks {
  list: ListId
  blocks: readonly Draft[]
  label: string
  margin: number
  /** The space below a row of columns, which the last block of each has. */
  spaceBelow?: number
}

export function CanvasList({ list, blocks, label, margin, spaceBelow, ...marks }: ListProps) {
  return (
    <SortableContext items={blocks.map(({ key }) => key)} strategy={verticalListSortingStrategy}>
      <ol aria-label={label} className="min-w-0">
        {blocks.map((block, index) => (
          <CanvasBlock
            key={block.key}
            block={block}
            list={list}
            margin={margin}
            place={`${index + 1} of ${blocks.length}`}
            spaceBelow={index === blocks.length - 1 ? spaceBelow : undefined}
            {...marksOf(block, marks)}
          />
        ))}
      </ol>
    </SortableContext>
  )
}

const NO_PROBLEMS: Problems = new Map()

/** What changes how this block looks. Other blocks are not drawn again. */
function marksOf(block: Draft, { selected, problems }: Marks): Marks {
  const keys = [block, ...(block.kind === "columns" ? block.columns.flat() : [])].map(
    ({ key }) => key,
  )
  return {
    selected: selected !== null && keys.includes(selected) ? selected : null,
    problems: keys.some((key) => problems.has(key)) ? problems : NO_PROBLEMS,
  }
}

interface BlockProps extends Marks {
  block: Draft
  list: ListId
  margin: number
  place: string
  spaceBelow: number | undefined
}

const CanvasBlock = memo((props: BlockProps) => {
  const { block, list, margin, place, selected, problems, spaceBelow } = props
  const { key, kind } = block
  const isSelected = selected === key
  const { select } = useCanvas()
  const { setNodeRef, setActivatorNodeRef, listeners, transform, transition, isDragging } =
    useSortable({ id: key })
  const isUploading = useUpload(key) !== undefined
  const problem = isUploading ? undefined : problemOf(block, problems, isSelected)
  const problemId = problem && `${key}-problem`
  return (
    <li
      ref={setNodeRef}
      data-block={key}
      style={{
        transform: transform ? `translate(${transform.x}px, ${transform.y}px)` : undefined,
        transition,
      }}
      className={cx(
        "group/block relative min-w-0 rounded-sm",
        isSelected ? "z-[2] outline-2 outline-focus" : "hover:outline hover:outline-focus/40",
        isDragging && "z-10 opacity-70",
      )}
    >
      <button
        {...listeners}
        ref={setActivatorNodeRef}
        type="button"
        id={handleId(key)}
        data-handle
        onClick={() => select(key)}
        aria-pressed={isSelected}
        aria-label={`${KINDS[kind].label}, ${place}${summaryOf(block) && `: ${summaryOf(block)}`}`}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Enter Alt+Enter Delete Control+D"
        className={cx(
          "absolute top-0 flex h-6 w-5 cursor-grab touch-none items-center justify-center rounded-sm border bg-raised font-sans text-ink",
          kind === "columns" ? "right-0.5" : margin > 0 ? "left-0.5" : "-left-5.5",
          !isSelected &&
            "opacity-0 group-hover/block:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-0",
        )}
      >
        <GripVertical size={12} aria-hidden />
      </button>
      {block.kind === "columns" ? (
        <Columns block={block} margin={margin} selected={selected} problems={problems} />
      ) : (
        <BlockContent
          block={spaceBelow === undefined ? block : spacedBelow(block, spaceBelow)}
          margin={margin}
          problemId={problemId}
        />
      )}
      {problem && (
        <p id={problemId} className="bg-raised px-6 py-1 font-sans text-xs text-failed">
          {problem}
        </p>
      )}
      <AddBelow block={block} list={list} isSelected={isSelected} />
    </li>
  )
})

/** An empty field of the selected block is not a mistake yet. */
function problemOf(block: Draft, problems: Problems, isSelected: boolean): string | undefined {
  const values = block as unknown as Record<string, unknown>
  return Object.entries(problems.get(block.key) ?? {}).find(
    ([field]) => !(isSelected && values[field] === ""),
  )?.[1]
}

function AddBelow({
  block,
  list,
  isSelected,
}: {
  block: Draft
  list: ListId
  isSelected: boolean
}) {
  const actions = useBlockActions()
  return (
    <span
      className={cx(
        "absolute -bottom-3 left-1/2 z-[3] -translate-x-1/2 font-sans",
        !isSelected &&
          "pointer-events-none opacity-0 group-hover/block:pointer-events-auto group-hover/block:opacity-100 pointer-coarse:hidden",
      )}
    >
      <AddBlockMenu
        label={`Add a block below ${KINDS[block.kind].label.toLowerCase()}`}
        tabIndex={isSelected ? 0 : -1}
        inColumn={list !== TOP}
        onChoose={(kind) => actions.addAfter(block.key, kind)}
      />
    </span>
  )
}

function Columns({ block, margin, ...marks }: Marks & { block: DraftColumns; margin: number }) {
  const { spaceTop = 0, spaceBottom = DEFAULT_SPACE } = block
  return (
    <div style={styleOf(padding({ spaceTop, spaceBottom: 0 }, margin))}>
      {block.columns.map((cells, index) => {
        const list = columnId(block.key, index)
        const style = styleOf(columnStyle(percentOf(COLUMN_SHARES[block.layout][index] ?? 1)))
        return (
          <Fragment key={list}>
            {index > 0 && (
              <div
                className="mail-gutter"
                style={{ ...styleOf(GUTTER_STYLE), display: undefined }}
              />
            )}
            <div style={style}>
              <Column list={list} cells={cells} spaceBelow={spaceBottom} {...marks} />
            </div>
          </Fragment>
        )
      })}
    </div>
  )
}

function Column({
  list,
  cells,
  ...drawn
}: Marks & { list: ListId; cells: readonly Draft[]; spaceBelow: number }) {
  const { setNodeRef, isOver } = useDroppable({ id: list })
  const actions = useBlockActions()
  const name = `Column ${columnOf(list) + 1}`
  return (
    <div ref={setNodeRef} data-column={list} className={cx(isOver && "outline-2 outline-focus")}>
      <CanvasList list={list} blocks={cells} label={name} margin={0} {...drawn} />
      {cells.length === 0 && (
        <div className="flex min-h-16 items-center justify-center rounded-sm border border-dashed border-current font-sans">
          <AddBlockMenu
            label={`Add a block to column ${columnOf(list) + 1}`}
            inColumn
            onChoose={(kind) => actions.add(kind, list, 0)}
          />
        </div>
      )}
    </div>
  )
}
