import { DndContext, PointerSensor, pointerWithin, useSensor, useSensors } from "@dnd-kit/core"
import type { ReactNode } from "react"
import type { Step } from "../../../../worker/sequences/definition/steps-contract.ts"
import { cx } from "../../../ui/cx.ts"
import { pathTitle, stepTitle } from "../words.ts"
import { AddStep } from "./add-step.tsx"
import { actionsOf, useBuilder } from "./builder.ts"
import { StepCard } from "./step-card.tsx"
import { type ListId, listId, type Place, pathsOf, TOP } from "./tree.ts"

/** The sequence from top to bottom, with its paths side by side. */
export function Flow({ start }: { start: ReactNode }) {
  const builder = useBuilder()
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 6 } }))
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={pointerWithin}
      onDragEnd={({ active, over }) => {
        if (over) actionsOf(builder).moveTo(String(active.id), over.data.current as Place)
      }}
    >
      <div
        data-flow
        className="min-w-0 overflow-x-auto rounded-b-lg border border-t-0 bg-sunken p-3 pb-8 sm:p-6"
      >
        <div className="mx-auto grid w-full justify-items-center md:w-max md:min-w-full">
          {start}
          <StepList list={TOP} steps={builder.steps} name="Start" />
          <p className="rounded-full border bg-raised px-3 py-1 text-xs text-muted">Finished</p>
        </div>
      </div>
    </DndContext>
  )
}

interface ListProps {
  list: ListId
  steps: readonly Step[]
  /** What stands before the first of them. */
  name: string
}

function StepList({ list, steps, name }: ListProps) {
  const isFirst = list === TOP && steps.length === 0
  return (
    <ol aria-label={list === TOP ? "Steps" : name} className="grid w-full justify-items-center">
      <li className="contents">
        <AddStep
          place={{ list, index: 0 }}
          label={isFirst ? "Add the first step" : `Add a step after ${name}`}
          isFirst={isFirst}
        />
      </li>
      {steps.map((step, index) => (
        <li key={step.key} className="grid w-full justify-items-center">
          <StepCard step={step} />
          <Paths step={step} />
          {step.kind !== "end" && (
            <AddStep
              place={{ list, index: index + 1 }}
              label={`Add a step after ${stepTitle(step)}`}
            />
          )}
          {step.kind === "end" && list === TOP && <span aria-hidden className="h-6" />}
        </li>
      ))}
    </ol>
  )
}

/** A wide screen shows paths beside each other, with lines that part and join; a phone one after another. */
function Paths({ step }: { step: Step }) {
  const paths = pathsOf(step)
  if (paths.length === 0) return null
  return (
    <>
      <span aria-hidden className="h-3 w-px bg-line max-md:hidden" />
      <div className="grid w-full gap-3 max-md:mt-3 md:flex md:w-auto md:gap-0">
        {paths.map(({ id, steps }, index) => (
          <div
            key={id}
            className={cx(
              "relative grid min-w-0 content-start justify-items-center max-md:border-l-2 max-md:pl-2",
              "md:grid-rows-[auto_auto_auto_1fr] md:px-3",
              LINE,
              paths.length === 1 && "md:before:hidden md:after:hidden",
              isEnd(steps) && (index === 0 || index === paths.length - 1) && "md:after:hidden",
            )}
          >
            <span aria-hidden className="h-3 w-px bg-line max-md:hidden" />
            <p className="max-w-56 rounded-md border bg-raised px-2 py-0.5 text-center text-xs text-muted wrap-anywhere">
              {pathTitle(step, id)}
            </p>
            <StepList list={listId(step.key, id)} steps={steps} name={pathTitle(step, id)} />
            {!isEnd(steps) && <span aria-hidden className="h-full w-px bg-line max-md:hidden" />}
          </div>
        ))}
      </div>
    </>
  )
}

/** Nobody comes out of such a path. */
const isEnd = (steps: readonly Step[]) => steps.at(-1)?.kind === "end"

/** From the middle of the first path to that of the last: above them and below them. */
const LINE = cx(
  "md:before:absolute md:before:top-0 md:before:inset-x-0 md:before:h-px md:before:bg-line",
  "md:first:before:left-1/2 md:last:before:right-1/2",
  "md:after:absolute md:after:bottom-0 md:after:inset-x-0 md:after:h-px md:after:bg-line",
  "md:first:after:left-1/2 md:last:after:right-1/2",
)
