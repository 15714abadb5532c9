import { createContext, useContext } from "react"
import type { Step } from "../../../../worker/sequences/definition/steps-contract.ts"
import { say } from "../../../ui/toast.tsx"
import type { Issue } from "../use-sequence.ts"
import { stepTitle } from "../words.ts"
import { type Kind, newStep } from "./kinds.ts"
import {
  copyOf,
  insert,
  join,
  keysInOrder,
  move,
  type Place,
  placeAcross,
  placeBeside,
  placeOf,
  remove,
  stepOf,
} from "./tree.ts"

/** What people have done in a step. */
interface Numbers {
  entered: number
  waiting: number
  delivered: number
  opened: number
  clicked: number
}

/** What the cards need of the page. */
export interface Builder {
  steps: readonly Step[]
  selected: string | null
  /** Nobody changes an archived sequence. */
  isFixed: boolean
  issues: ReadonlyMap<string, readonly Issue[]>
  numbers: Readonly<Record<string, Numbers>>
  /** Where the simulation has been, and where it is. */
  passed: ReadonlySet<string>
  current: string | undefined
  /** Opens the form of a step. */
  select(key: string): void
  change(next: (steps: readonly Step[]) => readonly Step[], step?: string): void
  showPeople(key: string): void
  announce(text: string): void
}

export const BuilderContext = createContext<Builder | null>(null)

export function useBuilder(): Builder {
  const builder = useContext(BuilderContext)
  if (!builder) throw new Error("No builder around this card")
  return builder
}

/** Once it is drawn. */
export const focusStep = (key: string | undefined) =>
  setTimeout(() => {
    const card = key && document.querySelector<HTMLElement>(`[data-step="${key}"] [data-handle]`)
    const add = document.querySelector<HTMLElement>("[data-flow] [data-add]")
    ;(card || add)?.focus()
  })

/** What can be done with the steps, by mouse and by keyboard. */
export const actionsOf = ({ steps, change, select, announce }: Builder) => {
  const moveTo = (key: string, place: Place | undefined) => {
    const step = stepOf(steps, key)
    if (!place || !step) return announce("It cannot move further")
    change((now) => move(now, key, place))
    announce(`${stepTitle(step)} moved`)
    focusStep(key)
  }
  return {
    add(place: Place, kind: Kind) {
      const step = newStep(kind, steps)
      change((now) => insert(now, place, step))
      select(step.key)
    },
    duplicate(key: string) {
      const copy = copyOf(steps, key)
      const place = placeOf(steps, key)
      if (!copy || !place) return
      change((now) => insert(now, { ...place, index: place.index + 1 }, copy))
      announce(`${stepTitle(copy)} duplicated`)
      focusStep(copy.key)
    },
    remove(key: string) {
      const keys = keysInOrder(steps)
      const after = remove(steps, key)
      const left = new Set(keysInOrder(after))
      const at = keys.indexOf(key)
      const next = keys.slice(at).find((one) => left.has(one)) ?? keys[at - 1]
      change(() => after)
      say(keys.length - left.size > 1 ? "Steps deleted" : "Step deleted")
      focusStep(next)
    },
    /** Deletes a step with paths, but for the steps of one of them. */
    join(key: string, path: string) {
      change((now) => join(now, key, path))
      say("Step deleted, its path kept")
      focusStep(undefined)
    },
    moveTo,
    moveBy: (key: string, by: -1 | 1) => moveTo(key, placeBeside(steps, key, by)),
    moveAcross: (key: string, by: -1 | 1) => moveTo(key, placeAcross(steps, key, by)),
  }
}
