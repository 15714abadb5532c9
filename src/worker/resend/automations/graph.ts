import * as z from "zod"
import type { Step } from "../../sequences/definition/steps-contract.ts"
import { unsupported } from "../errors.ts"
import { type AutomationStep, fromStep, type ToSend, toBranch, toLeaf } from "./steps.ts"

export const connection = z.object({
  from: z.string(),
  to: z.string(),
  type: z.string().default("default"),
})
export type Connection = z.output<typeof connection>

/** The types of the connections of a step with two arms. */
const ARMS: Record<string, [string, string]> = {
  condition: ["condition_met", "condition_not_met"],
  wait_for_event: ["event_received", "timeout"],
}
const TRIGGER = "trigger"

/** The steps of a graph, as a list with the arms inside. Where two arms meet again, the list goes on. */
export function toSteps(
  steps: readonly AutomationStep[],
  connections: readonly Connection[],
  toSend: ToSend,
): { eventName: unknown; steps: Step[] } {
  const [trigger, ...others] = steps.filter(({ type }) => type === TRIGGER)
  if (!trigger || others.length > 0) throw unsupported("steps", "There is exactly one trigger.")
  const byKey = new Map(steps.map((step) => [step.key, step]))
  const next = (from: string, types: readonly string[]) =>
    connections.find((one) => one.from === from && types.includes(one.type))?.to
  const passed = new Set<string>()

  function reachable(from: string | undefined, found = new Set<string>()): Set<string> {
    if (from === undefined || found.has(from)) return found
    found.add(from)
    for (const one of connections) if (one.from === from) reachable(one.to, found)
    return found
  }

  function walk(from: string | undefined, until: string | undefined): Step[] {
    const list: Step[] = []
    for (let key = from; key !== undefined && key !== until; ) {
      const step = byKey.get(key)
      if (!step) throw unsupported("connections", `There is no step ${key}.`)
      if (passed.has(key)) throw unsupported("connections", `Two ways lead to the step ${key}.`)
      passed.add(key)
      const arms = ARMS[step.type]
      if (arms) {
        const [first, second] = arms.map((type) => next(step.key, [type, "default"]))
        const others = reachable(second)
        const meeting = [...reachable(first)].find((one) => others.has(one))
        list.push(toBranch(step, walk(first, meeting), walk(second, meeting)))
        key = meeting
      } else {
        list.push(toLeaf(step, toSend))
        key = next(step.key, ["default"])
      }
    }
    return list
  }

  const list = walk(next(trigger.key, ["default"]), undefined)
  const lost = steps.find(({ key }) => key !== trigger.key && !passed.has(key))
  if (lost) throw unsupported("connections", `No way leads to the step ${lost.key}.`)
  return { eventName: trigger.config.event_name, steps: list }
}

/** The graph of a list of steps; undefined where a step has no counterpart. */
export function toGraph(list: readonly Step[], eventName: string) {
  const steps: AutomationStep[] = [
    { key: TRIGGER, type: TRIGGER, config: { event_name: eventName } },
  ]
  const connections: Connection[] = []
  const connect = (from: string, to: string | undefined, type = "default") => {
    if (to !== undefined) connections.push({ from, to, type })
  }

  function add(level: readonly Step[], after: string | undefined): boolean {
    return level.every((step, at) => {
      const next = level[at + 1]?.key ?? after
      const known = fromStep(step)
      if (!known) return false
      steps.push({ key: step.key, ...known })
      const arms = ARMS[known.type]
      if (!arms) {
        connect(step.key, next)
        return true
      }
      return armsOf(step).every((arm, index) => {
        connect(step.key, arm[0]?.key ?? next, arms[index])
        return add(arm, next)
      })
    })
  }

  connect(TRIGGER, list[0]?.key)
  return add(list, undefined) ? { steps, connections } : undefined
}

const armsOf = (step: Step): Step[][] => {
  if (step.kind === "branch") return [step.cases[0]?.steps ?? [], step.else]
  return step.kind === "waitFor" ? [step.then, step.else] : []
}
