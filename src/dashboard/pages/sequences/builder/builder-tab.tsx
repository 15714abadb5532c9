import { useQuery } from "@tanstack/react-query"
import { FlaskConical, Play } from "lucide-react"
import { useMemo, useState } from "react"
import type { Sequence } from "../../../../client/types.ts"
import { LIVE_MS } from "../../../api/live-pages.ts"
import { useRefresh } from "../../../api/pages.ts"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog/dialog.tsx"
import { Card } from "../../../ui/page.tsx"
import { UndoButtons } from "../../blocks/canvas/undo-buttons.tsx"
import { useUndoKeys } from "../../blocks/canvas/undo-keys.ts"
import { segmentsQuery } from "../../segments/data.ts"
import { stepsQuery } from "../data.ts"
import { type Editing, isLive, issueOf, issuesOfSteps } from "../use-sequence.ts"
import { triggerWords } from "../words.ts"
import { type Builder, BuilderContext, focusStep } from "./builder.ts"
import { Flow } from "./flow.tsx"
import { focusPanel, isWide, StepPanel, StepSheet } from "./step-panel.tsx"
import { stepOf } from "./tree.ts"
import { TryIt } from "./try-it.tsx"

const NONE = {}

interface Props {
  sequence: Sequence
  editing: Editing
  selected: string | null
  onSelect(key: string | null): void
  onEditMail(key: string): void
  onShowPeople(key: string): void
  onShowSettings(): void
}

/** The cards, with the form of the selected one beside them. */
export function BuilderTab({ sequence, editing, selected, onSelect, ...on }: Props) {
  const { steps } = editing.content
  const [isSheet, setSheet] = useState(false)
  const [said, announce] = useState("")
  const [isTrying, setTrying] = useState(false)
  const [played, setPlayed] = useState<readonly string[]>([])
  const isFixed = sequence.status === "archived"
  const numbers = useNumbers(sequence)
  const history = useMemo(
    () => ({ undo: keepFocus(editing.undo), redo: keepFocus(editing.redo) }),
    [editing.undo, editing.redo],
  )
  useUndoKeys(history)
  const issues = useMemo(() => issuesOfSteps(editing.issues, steps), [editing.issues, steps])
  const step = selected === null ? undefined : stepOf(steps, selected)
  const endTrial = () => {
    setTrying(false)
    setPlayed([])
  }
  const trial = isTrying && <TryIt {...{ sequence, editing }} onPlay={setPlayed} />
  const builder: Builder = {
    steps,
    selected,
    isFixed,
    issues,
    numbers,
    announce,
    passed: useMemo(() => new Set(played), [played]),
    current: played.at(-1),
    select(key) {
      endTrial()
      onSelect(key)
      setSheet(!isWide())
      focusPanel()
    },
    change: (next, field) => editing.change((now) => ({ ...now, steps: next(now.steps) }), field),
    showPeople: on.onShowPeople,
  }
  const panel = step &&
    !isFixed && {
      step,
      editing,
      bookId: sequence.bookId,
      issues: issues.get(step.key) ?? [],
      onEditMail: () => on.onEditMail(step.key),
    }
  const general = issueOf(
    editing.issues.filter(({ path }) => path.length === 1),
    "steps",
  )
  return (
    <BuilderContext value={builder}>
      <div className="grid min-w-0 grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_360px]">
        <div className="min-w-0">
          {!isFixed && (
            <div
              role="toolbar"
              aria-label="Editor"
              className="sticky top-[calc(3rem+var(--head,0px))] z-10 flex min-w-0 flex-wrap items-center gap-1 rounded-t-lg border bg-raised p-1 md:top-(--head)"
            >
              <UndoButtons {...history} canUndo={editing.canUndo} canRedo={editing.canRedo} />
              <Button
                small
                kind="quiet"
                aria-pressed={isTrying}
                className="ml-auto aria-pressed:bg-sunken"
                onClick={() => {
                  if (isTrying) return endTrial()
                  onSelect(null)
                  setTrying(true)
                }}
              >
                <FlaskConical size={14} aria-hidden /> Try it
              </Button>
            </div>
          )}
          <Flow start={<StartCard {...{ sequence, editing }} onOpen={on.onShowSettings} />} />
          {general && (
            <p role="alert" className="mt-2 text-failed">
              {general}
            </p>
          )}
        </div>
        <div className="grid min-w-0 gap-3 max-xl:hidden xl:sticky xl:top-[calc(var(--head,0px)+8px)] xl:max-h-[calc(100dvh-var(--head,0px)-16px)] xl:overflow-y-auto">
          {trial && isWide() ? (
            <Card>
              <h2 className="mb-3 font-semibold">Try it</h2>
              {trial}
            </Card>
          ) : panel ? (
            <StepPanel {...panel} onClose={() => onSelect(null)} />
          ) : (
            <p className="rounded-lg border border-dashed p-4 text-muted">
              {isFixed ? "An archived sequence cannot change." : HELP}
            </p>
          )}
        </div>
      </div>
      {trial && !isWide() && (
        <Dialog sheet open onOpenChange={endTrial} title="Try it">
          {trial}
        </Dialog>
      )}
      {panel && isSheet && <StepSheet {...panel} onClose={() => setSheet(false)} />}
      <p role="status" className="sr-only">
        {said}
      </p>
    </BuilderContext>
  )
}

/** A card that moves to another path is drawn anew. */
const keepFocus = (restore: () => void) => () => {
  const card = document.activeElement?.closest<HTMLElement>("[data-step]")
  restore()
  if (card) focusStep(card.dataset.step)
}

const HELP =
  "Choose a step to change it. With the keyboard: arrows go from step to step, Alt and an arrow move one, Delete removes it."

/** Drafts have no people. */
function useNumbers(sequence: Sequence): Builder["numbers"] {
  const query = { ...stepsQuery(sequence.id), enabled: isLive(sequence) }
  const { data } = useQuery({
    ...query,
    refetchInterval: sequence.status === "active" ? LIVE_MS : false,
  })
  useRefresh("email", [query.queryKey])
  return data ?? NONE
}

/** How people come in. It leads to the settings. */
function StartCard({
  sequence,
  editing,
  onOpen,
}: Pick<Props, "sequence" | "editing"> & { onOpen(): void }) {
  const { content, issues } = editing
  const { data: segments } = useQuery(segmentsQuery(sequence.bookId))
  const problem = issueOf(issues, "trigger")
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex w-64 max-w-full items-start gap-2 rounded-lg border bg-raised p-3 text-left hover:bg-sunken"
    >
      <Play size={16} aria-hidden className="mt-0.5 shrink-0 text-muted" />
      <span className="min-w-0 wrap-anywhere">
        <span className="block font-medium">Starts {triggerWords(content, segments)}</span>
        <span className="block text-xs text-muted">
          {content.entry === "once" ? "Once for each contact" : "Again for the same contact"}
          {content.goal && ", until a goal is reached"}
        </span>
        {problem && <span className="block text-xs text-failed">{problem}</span>}
      </span>
    </button>
  )
}
