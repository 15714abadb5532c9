import { useState } from "react"
import type { Sequence } from "../../../client/types.ts"
import type { Step } from "../../../worker/sequences/definition/steps-contract.ts"
import type { listRunRows } from "../../../worker/sequences/runs/dashboard-contract.ts"
import { RUN_STATES } from "../../../worker/sequences/statuses.ts"
import { api, call } from "../../api/api.ts"
import { LIVE_MS, useLivePages } from "../../api/live-pages.ts"
import { refresh } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"
import { Link } from "../../app/link.tsx"
import { sentence } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { Empty } from "../../ui/empty.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { useSearchFurther } from "../../ui/list/searched-back.tsx"
import { menuColumn } from "../../ui/menu/row-menu.tsx"
import { Select } from "../../ui/menu/select.tsx"
import { Time } from "../../ui/time/time.tsx"
import { say, sayError } from "../../ui/toast.tsx"
import { keysInOrder, stepOf } from "./builder/tree.ts"
import { endWords, stepTitle } from "./words.ts"

export type RunRow = ReplyOf<typeof listRunRows>["data"][number]

/** Why a run waits, or how it ended. */
export function Why({ run, steps }: { run: RunRow; steps: readonly Step[] }) {
  const { state, dueAt, waitsFor, heldReason, endedBy, stepKey } = run
  if (state === "done") return <span className="text-muted">{endWords(endedBy)}</span>
  if (state === "held") return <span className="text-delayed">Held: {heldReason}</span>
  if (dueAt === null) return <span>The sequence is paused</span>
  const kind = stepKey === null ? undefined : stepOf(steps, stepKey)?.kind
  const what = waitsFor
    ? `Waiting for ${waitsFor}, continues`
    : kind === "send"
      ? "The window opens"
      : "Continues"
  return (
    <span>
      {what} <Time at={dueAt} />
    </span>
  )
}

interface Shown {
  step: string
  state: string
}

interface Props {
  sequence: Sequence
  steps: readonly Step[]
  shown: Shown
  onShow(changes: Partial<Shown>): void
}

/** Everyone who has entered, where they stand and why. */
export function People({ sequence, steps, shown, onShow }: Props) {
  const { id } = sequence
  const pages = useLivePages<RunRow>(
    ["sequences", "runs", id, shown],
    (query, options) =>
      call<typeof listRunRows>(
        {
          method: "GET",
          path: "/run-rows",
          query: {
            ...query,
            sequenceId: id,
            ...(shown.step && { stepKey: shown.step }),
            ...(shown.state && { state: shown.state }),
          },
        },
        options,
      ),
    { type: "email", everyMs: LIVE_MS, timeOf: ({ startedAt }) => startedAt },
  )
  const { goesOn, searchedBack } = useSearchFurther(`${shown.step} ${shown.state}`, pages)
  const [asked, setAsked] = useState<Asked | null>(null)
  const isGone = shown.step !== "" && !stepOf(steps, shown.step)
  const resume = async () => {
    await api.sequences.resume(id)
    say("Held people resume within a minute")
  }
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Select
          aria-label="Step"
          className="max-w-72"
          value={shown.step}
          onChange={(step) => onShow({ step })}
          options={[
            ["", "All steps"],
            ...(isGone ? [[shown.step, shown.step] as const] : []),
            ...keysInOrder(steps).map(
              (key) => [key, stepTitle(stepOf(steps, key) as Step)] as const,
            ),
          ]}
        />
        <Select
          aria-label="State"
          className="max-w-40"
          value={shown.state}
          onChange={(state) => onShow({ state })}
          options={[["", "Any state"], ...RUN_STATES.map((one) => [one, sentence(one)] as const)]}
        />
        {pages.rows.some(({ state }) => state === "held") && (
          <Button onClick={() => void resume().catch(sayError)}>Resume held people</Button>
        )}
      </div>
      <List
        {...pages}
        hasNextPage={goesOn}
        label="People"
        columns={columnsOf(steps, setAsked)}
        rowKey={({ id }) => id}
        empty={
          <Empty title={goesOn ? "Searching…" : emptyTitle(shown, pages.hasNextPage)}>
            {searchedBack}
          </Empty>
        }
      />
      {pages.rows.length > 0 && searchedBack}
      {asked && (
        <Confirm
          open
          onOpenChange={() => setAsked(null)}
          {...question(asked, steps)}
          onConfirm={() => act(asked)}
        />
      )}
    </div>
  )
}

function emptyTitle({ step, state }: Shown, hasMore: boolean): string {
  if (!step && !state) return "Nobody has entered yet"
  return hasMore ? "Nobody found so far" : "Nobody here"
}

const nameOf = ({ email, contactId }: RunRow) => email ?? contactId

const columnsOf = (
  steps: readonly Step[],
  onAsk: (asked: Asked) => void,
): readonly Column<RunRow>[] => [
  {
    head: "Person",
    width: "minmax(0, 2fr)",
    cell: (run) =>
      run.email === null ? (
        <span className="text-muted">Deleted contact</span>
      ) : (
        <Link to={`/contacts/${run.bookId}?contact=${run.contactId}`} className="font-medium">
          {run.email}
        </Link>
      ),
    below: (run) => <Why run={run} steps={steps} />,
  },
  {
    head: "Step",
    width: "minmax(0, 2fr)",
    cell: ({ stepKey }) => {
      const step = stepKey === null ? undefined : stepOf(steps, stepKey)
      return step ? stepTitle(step) : (stepKey ?? "–")
    },
  },
  { head: "Why", width: "minmax(0, 2fr)", cell: (run) => <Why run={run} steps={steps} /> },
  {
    head: "Entered",
    width: "110px",
    right: true,
    cell: ({ startedAt }) => <Time at={startedAt} />,
  },
  menuColumn(nameOf, (run) =>
    run.state === "done"
      ? []
      : [
          { label: "Skip this step", onSelect: () => onAsk({ run, action: "skip" }) },
          {
            label: "End for this person",
            danger: true,
            onSelect: () => onAsk({ run, action: "end" }),
          },
        ],
  ),
]

const SAID = { skip: "Step skipped", end: "Ended" }

interface Asked {
  run: RunRow
  action: keyof typeof SAID
}

function question({ run, action }: Asked, steps: readonly Step[]) {
  const person = nameOf(run)
  if (action === "end") {
    return {
      title: `End the sequence for ${person}?`,
      description: "They get no more emails from it. This cannot be undone.",
      action: "End for this person",
    }
  }
  const step = run.stepKey === null ? undefined : stepOf(steps, run.stepKey)
  return {
    title: `Skip ${step ? `“${stepTitle(step)}”` : "this step"} for ${person}?`,
    description: "They go on to the next step right away. This cannot be undone.",
    action: "Skip this step",
    kind: "primary" as const,
  }
}

async function act({ run, action }: Asked) {
  await api.runs[action](run.id)
  say(`${SAID[action]} for ${nameOf(run)}`)
  refresh("sequences")
}
