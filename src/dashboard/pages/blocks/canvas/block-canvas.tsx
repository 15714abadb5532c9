import { DndContext } from "@dnd-kit/core"
import { Suspense, useMemo, useState } from "react"
import { languageOf } from "../../../../worker/campaigns/blocks/language.ts"
import { CARD_MARGIN, toLook } from "../../../../worker/campaigns/blocks/look.ts"
import { lazy } from "../../../app/lazy.ts"
import { cx } from "../../../ui/cx.ts"
import { draftOf, placeOf, TOP, toBlocks } from "../draft/draft.ts"
import { DrawingContext } from "../drawn.ts"
import { findProblems, type Problems } from "../problems.ts"
import type { CanvasView } from "../view-buttons.tsx"
import { blockActions } from "./block-actions.ts"
import { BlockSettings, SettingsSheet } from "./block-settings.tsx"
import type { BlockCanvasProps } from "./canvas.tsx"
import { CanvasContext, RestoresContext } from "./canvas-context.ts"
import { blockKeys } from "./canvas-keys.ts"
import { CanvasList } from "./canvas-list.tsx"
import { blockOf, selectByMouse, useCanvasState } from "./canvas-state.ts"
import { CanvasToolbar } from "./canvas-toolbar.tsx"
import { useDragAndDrop } from "./drag.ts"
import { useImageFiles } from "./image-files.ts"
import { Paper } from "./paper.tsx"

const loadSlashMenu = () => import("./slash-menu.tsx")
const SlashMenu = lazy(loadSlashMenu)

export function BlockCanvas(props: BlockCanvasProps) {
  const { blocks, schema, mergeFields, history, aside } = props
  const state = useCanvasState(props)
  const { canvas, selected, text } = state
  const [view, setView] = useState<CanvasView>({ phone: false, dark: false })
  const problems = useMemo(() => findProblems(blocks, schema), [blocks, schema])
  const block = selected === null ? undefined : draftOf(blocks, selected)
  const settings = block && {
    block,
    mergeFields,
    problems: problems.byBlock.get(block.key) ?? {},
  }
  return (
    <CanvasContext value={canvas}>
      <RestoresContext value={history.restores}>
        <div
          data-canvas
          className="grid min-w-0 grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_320px]"
        >
          <div className="min-w-0">
            <CanvasToolbar
              {...{ history, blocks, selected, text, mergeFields, view }}
              onView={setView}
            />
            <Surface {...props} {...{ state, view }} problems={problems.byBlock} />
            {problems.general && (
              <p role="alert" className="mt-2 text-failed">
                {problems.general}
              </p>
            )}
          </div>
          <div className="grid min-w-0 gap-3 xl:sticky xl:top-[calc(var(--head,0px)+8px)] xl:max-h-[calc(100dvh-var(--head,0px)-16px)] xl:overflow-y-auto">
            {settings && <BlockSettings {...settings} />}
            {aside}
          </div>
        </div>
        {settings && (
          <SettingsSheet {...settings} open={state.sheet} onOpenChange={state.openSheet} />
        )}
        <Slash {...{ state, blocks }} />
        <p role="status" className="sr-only">
          {state.said}
        </p>
      </RestoresContext>
    </CanvasContext>
  )
}

type State = ReturnType<typeof useCanvasState>

const NONE: never[] = []

/** The message, and the keys and presses of its blocks. */
function Surface({
  state: { canvas, selected },
  blocks,
  theme,
  before = NONE,
  after = NONE,
  sender,
  view,
  problems,
}: BlockCanvasProps & { state: State; view: CanvasView; problems: Problems }) {
  const drag = useDragAndDrop(canvas)
  const files = useImageFiles(canvas)
  const { dir } = useMemo(
    () => languageOf("", [...before, ...toBlocks(blocks), ...after], theme),
    [before, blocks, after, theme],
  )
  const drawing = useMemo(
    () => ({ look: toLook(theme, dir), dark: view.dark }),
    [theme, dir, view.dark],
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handles and texts inside have the focus
    <div
      {...files.on}
      className={cx(
        "min-w-0 overflow-x-clip rounded-b-lg border border-t-0 bg-sunken",
        files.isOver && "outline-2 -outline-offset-2 outline-focus",
      )}
      onFocus={({ target }) => {
        const key = blockOf(target)
        if (key) canvas.select(key)
        void loadSlashMenu()
      }}
      onMouseDown={(event) => selectByMouse(event, canvas)}
      onKeyDown={(event) => blockKeys(event, canvas)}
    >
      <DrawingContext value={drawing}>
        <DndContext {...drag}>
          <Paper {...{ before, after, sender }} phone={view.phone}>
            <CanvasList
              list={TOP}
              label="Blocks"
              margin={CARD_MARGIN}
              {...{ blocks, selected, problems }}
            />
          </Paper>
        </DndContext>
      </DrawingContext>
    </div>
  )
}

/** The menu that a slash opens. Without a choice the slash is written. */
function Slash({
  state: { canvas, slash, openSlashMenu, text },
  blocks,
}: {
  state: State
  blocks: BlockCanvasProps["blocks"]
}) {
  if (slash === null) return null
  return (
    <Suspense>
      <SlashMenu
        blockKey={slash}
        inColumn={placeOf(blocks, slash)?.list !== TOP}
        onChoose={(kind) => {
          openSlashMenu(null)
          blockActions(canvas).exchange(slash, kind)
        }}
        onClose={(typed = "") => {
          openSlashMenu(null)
          text?.editor.view.focus()
          text?.editor.commands.insertContent({ type: "text", text: `/${typed}` })
        }}
      />
    </Suspense>
  )
}
