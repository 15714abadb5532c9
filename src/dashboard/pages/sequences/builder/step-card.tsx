import { useDraggable } from "@dnd-kit/core"
import type { KeyboardEvent } from "react"
import type { Step } from "../../../../worker/sequences/definition/steps-contract.ts"
import { cx } from "../../../ui/cx.ts"
import type { MenuItems } from "../../../ui/menu/menu.tsx"
import { RowMenu } from "../../../ui/menu/row-menu.tsx"
import { number } from "../../../ui/numbers.ts"
import { pathTitle, stepDetail, stepTitle } from "../words.ts"
import { actionsOf, type Builder, focusStep, useBuilder } from "./builder.ts"
import { KINDS } from "./kinds.ts"
import { keysInOrder, pathsOf, placeAcross, placeBeside } from "./tree.ts"

/** A step: what it does, what is wrong with it, and where people stand. */
export function StepCard({ step }: { step: Step }) {
  const builder = useBuilder()
  const { key } = step
  const { setNodeRef, listeners, transform } = useDraggable({ id: key, disabled: builder.isFixed })
  const { icon: Icon } = KINDS[step.kind]
  const title = stepTitle(step)
  const detail = stepDetail(step)
  const [issue] = builder.issues.get(key) ?? []
  const problem = issue?.path.includes("filter") ? "Fill in the conditions" : issue?.message
  return (
    <div
      ref={setNodeRef}
      {...listeners}
      data-step={key}
      style={transform ? { transform: `translate(${transform.x}px, ${transform.y}px)` } : undefined}
      className={cx(
        "relative w-64 max-w-full touch-manipulation rounded-lg border bg-raised",
        transform && "z-10 shadow-float",
        builder.selected === key && "ring-2 ring-focus",
        builder.current === key && "outline-2 outline-offset-2 outline-primary",
        builder.passed.has(key) && "border-primary",
      )}
    >
      <button
        type="button"
        data-handle
        aria-pressed={builder.selected === key}
        onClick={() => builder.select(key)}
        onKeyDown={(event) => cardKeys(event, builder, key)}
        className="flex w-full items-start gap-2 rounded-lg p-3 pr-9 text-left"
      >
        <Icon size={16} aria-hidden className="mt-0.5 shrink-0 text-muted" />
        <span className="min-w-0">
          <span data-title className="line-clamp-2 font-medium wrap-anywhere">
            {title}
          </span>
          {detail && (
            <span className="line-clamp-2 text-xs text-muted wrap-anywhere">{detail}</span>
          )}
          {problem && <span className="block text-xs text-failed wrap-anywhere">{problem}</span>}
        </span>
      </button>
      {!builder.isFixed && (
        <span className="absolute top-1.5 right-1.5">
          <RowMenu name={title} items={menuOf(builder, step)} />
        </span>
      )}
      <NumbersOf step={step} title={title} />
    </div>
  )
}

/** Leads to the people of the step. */
function NumbersOf({ step, title }: { step: Step; title: string }) {
  const { numbers, showPeople } = useBuilder()
  const found = numbers[step.key]
  if (!found) return null
  const { waiting, entered, delivered, opened, clicked } = found
  const parts =
    step.kind === "send"
      ? [`${number(delivered)} got it`, `${number(opened)} opened`, `${number(clicked)} clicked`]
      : [`${number(entered)} entered`]
  return (
    <button
      type="button"
      onClick={() => showPeople(step.key)}
      className="flex w-full flex-wrap gap-x-3 rounded-b-lg border-t px-3 py-1.5 text-left text-xs text-muted tabular-nums hover:bg-sunken"
    >
      <strong className="font-medium text-ink">{number(waiting)} waiting</strong>
      {parts.map((part) => (
        <span key={part}>{part}</span>
      ))}
      <span className="sr-only">in {title}: show people</span>
    </button>
  )
}

function menuOf(builder: Builder, step: Step): MenuItems {
  const { key } = step
  const { steps } = builder
  const actions = actionsOf(builder)
  const item = (label: string, place: unknown, onSelect: () => void) =>
    place !== undefined && { label, onSelect, movesFocus: true }
  return [
    { label: "Edit", movesFocus: true, onSelect: () => builder.select(key) },
    item("Move up", placeBeside(steps, key, -1), () => actions.moveBy(key, -1)),
    item("Move down", placeBeside(steps, key, 1), () => actions.moveBy(key, 1)),
    item("Move to the path on the left", placeAcross(steps, key, -1), () =>
      actions.moveAcross(key, -1),
    ),
    item("Move to the path on the right", placeAcross(steps, key, 1), () =>
      actions.moveAcross(key, 1),
    ),
    { label: "Duplicate", movesFocus: true, onSelect: () => actions.duplicate(key) },
    ...pathsOf(step)
      .filter((path) => path.steps.length > 0)
      .map(({ id }) => ({
        label: `Delete, but keep “${pathTitle(step, id).slice(0, 40)}”`,
        danger: true,
        movesFocus: true,
        onSelect: () => actions.join(key, id),
      })),
    { label: "Delete", danger: true, movesFocus: true, onSelect: () => actions.remove(key) },
  ]
}

const STEPS: Record<string, -1 | 1> = { ArrowUp: -1, ArrowDown: 1 }
const PATHS: Record<string, -1 | 1> = { ArrowLeft: -1, ArrowRight: 1 }

/** Arrows go from card to card, and with Alt they move one. Delete deletes. */
function cardKeys(event: KeyboardEvent, builder: Builder, key: string) {
  const actions = actionsOf(builder)
  const step = STEPS[event.key]
  const path = PATHS[event.key]
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
  if (step && isPlain) {
    const keys = keysInOrder(builder.steps)
    const next = keys[keys.indexOf(key) + step]
    if (next) focusStep(next)
  } else if (builder.isFixed) return
  else if (event.altKey && step) actions.moveBy(key, step)
  else if (event.altKey && path) actions.moveAcross(key, path)
  else if (isPlain && (event.key === "Delete" || event.key === "Backspace")) actions.remove(key)
  else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "d")
    actions.duplicate(key)
  else return
  event.preventDefault()
}
