import { ArrowDown, ArrowUp, Copy, Plus, SlidersHorizontal, Trash2 } from "lucide-react"
import { Button, IconButton } from "../../../ui/button.tsx"
import { cx } from "../../../ui/cx.ts"
import { Menu } from "../../../ui/menu/menu.tsx"
import {
  columnOf,
  columnsBeside,
  type Draft,
  listsOf,
  type Place,
  placeOf,
  TOP,
} from "../draft/draft.ts"
import { type CanvasView, ViewButtons } from "../view-buttons.tsx"
import { useBlockActions, useCanvas } from "./canvas-context.ts"
import { KindMenu } from "./kind-menu.tsx"
import { type ActiveText, TextTools } from "./text-tools.tsx"
import { UndoButtons } from "./undo-buttons.tsx"
import type { UndoRedo } from "./undo-keys.ts"

interface Props {
  history: UndoRedo
  blocks: readonly Draft[]
  selected: string | null
  text: ActiveText | null
  mergeFields: readonly string[]
  view: CanvasView
  onView(view: CanvasView): void
}

/** Acts on the selected block. It stays in sight, and covers nothing. */
export function CanvasToolbar({ history, blocks, selected, text, mergeFields, ...view }: Props) {
  const actions = useBlockActions()
  const place = selected === null ? undefined : placeOf(blocks, selected)
  return (
    <div
      role="toolbar"
      aria-label="Editor"
      className="sticky top-[calc(3rem+var(--head,0px))] z-10 flex min-w-0 flex-wrap items-center gap-x-1 gap-y-0.5 rounded-t-lg border bg-raised p-1 md:top-(--head)"
    >
      <UndoButtons {...history} />
      <KindMenu
        inColumn={false}
        onChoose={(kind) => actions.addAfter(selected, kind)}
        trigger={
          <Button small kind="quiet">
            <Plus size={14} aria-hidden />
            <span className={cx(place && "max-sm:sr-only")}>Add block</span>
          </Button>
        }
      />
      {text && <TextTools {...text} fields={mergeFields} />}
      {selected !== null && place && <BlockTools blocks={blocks} at={selected} place={place} />}
      <span className="ml-auto">
        <ViewButtons {...view} />
      </span>
    </div>
  )
}

function BlockTools({ blocks, at, place }: { blocks: readonly Draft[]; at: string; place: Place }) {
  const actions = useBlockActions()
  const { openSettings } = useCanvas()
  const { index } = place
  const last = (listsOf(blocks).get(place.list)?.length ?? 0) - 1
  return (
    <>
      <IconButton
        label="Move up"
        disabledBecause={index === 0 && "Already first"}
        onClick={() => actions.moveBy(at, -1)}
      >
        <ArrowUp size={14} aria-hidden />
      </IconButton>
      <IconButton
        label="Move down"
        disabledBecause={index === last && "Already last"}
        onClick={() => actions.moveBy(at, 1)}
      >
        <ArrowDown size={14} aria-hidden />
      </IconButton>
      <ColumnMenu blocks={blocks} at={at} place={place} />
      <IconButton label="Duplicate" onClick={() => actions.duplicate(at)}>
        <Copy size={14} aria-hidden />
      </IconButton>
      <IconButton label="Remove" onClick={() => actions.remove(at)}>
        <Trash2 size={14} aria-hidden />
      </IconButton>
      <IconButton label="Block settings" className="xl:hidden" onClick={openSettings}>
        <SlidersHorizontal size={14} aria-hidden />
      </IconButton>
    </>
  )
}

/** Moves a block into columns beside it, to another column, or out. */
function ColumnMenu({ blocks, at, place }: { blocks: readonly Draft[]; at: string; place: Place }) {
  const actions = useBlockActions()
  const lists = listsOf(blocks)
  const isColumns = lists.get(place.list)?.[place.index]?.kind === "columns"
  const columns = isColumns ? [] : columnsBeside(blocks, place)
  if (columns.length === 0) return null
  const around = blocks.findIndex(({ key }) => place.list.startsWith(`${key}/`))
  return (
    <Menu
      trigger={
        <Button small kind="quiet">
          Move to
        </Button>
      }
      items={[
        ...columns.map((list) => ({
          label: `Column ${columnOf(list) + 1}`,
          onSelect: () => actions.moveTo(at, list, lists.get(list)?.length ?? 0),
        })),
        place.list !== TOP && {
          label: "Out of the columns",
          onSelect: () => actions.moveTo(at, TOP, around + 1),
        },
      ]}
    />
  )
}
