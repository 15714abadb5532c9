import * as z from "zod"
import type { Step } from "../../sequences/definition/steps-contract.ts"
import { unsupported } from "../errors.ts"
import { fromFilter, toFilter } from "./filter.ts"

export const automationStep = z.object({
  key: z.string(),
  type: z.string(),
  config: z.record(z.string(), z.unknown()).default({}),
})
export type AutomationStep = z.output<typeof automationStep>

export type ToSend = (key: string, source: AutomationStep) => Step

const LONGEST_WAIT = "30d"

/** Keys of Resend may have other signs. */
const keyOf = (key: string) => key.toLowerCase().replace(/[^a-z0-9-]/g, "-")

export function toBranch(
  { key, type, config }: AutomationStep,
  first: Step[],
  second: Step[],
): Step {
  const own = keyOf(key)
  if (type === "condition") {
    const cases = [{ filter: toFilter(config), steps: first }]
    return { key: own, kind: "branch", cases, else: second }
  }
  if (config.filter_rule) throw unsupported("filter_rule", "Events are told apart by their names.")
  const timeout = config.timeout === undefined ? LONGEST_WAIT : toDuration(config.timeout)
  const event = String(config.event_name)
  // biome-ignore lint/suspicious/noThenProperty: A member of the contract.
  return { key: own, kind: "waitFor", event, timeout, then: first, else: second }
}

export function toLeaf(step: AutomationStep, toSend: ToSend): Step {
  const { type, config } = step
  const key = keyOf(step.key)
  switch (type) {
    case "send_email":
      return toSend(key, step)
    case "delay":
      return { key, kind: "wait", for: toDuration(config.duration) }
    case "contact_update":
      return { key, kind: "set", properties: toProperties(config) }
    default:
      throw unsupported("steps", `A sequence has no step ${type}.`)
  }
}

function toProperties({ properties, ...fields }: AutomationStep["config"]) {
  const [other] = Object.entries(fields).filter(([, value]) => value !== undefined)
  if (other) throw unsupported(other[0], "A step sets properties alone.")
  const values = Object.entries((properties ?? {}) as Record<string, unknown>)
  const variable = values.find(([, value]) => typeof value === "object")
  if (variable) throw unsupported(`properties.${variable[0]}`, "A value is written in the step.")
  return Object.fromEntries(values) as Record<string, string | number | boolean>
}

const UNITS: [RegExp, unit: string, times: number][] = [
  [/^m(in(ute)?s?)?$/, "m", 1],
  [/^h((ou)?rs?)?$/, "h", 1],
  [/^d(ays?)?$/, "d", 1],
  [/^w(eeks?)?$/, "d", 7],
]

/** Resend writes `3 days`. */
function toDuration(text: unknown): string {
  const [, count, word = ""] = /^\s*(\d{1,5})\s*([a-z]+)\s*$/i.exec(String(text)) ?? []
  const [, unit, times = 1] = UNITS.find(([name]) => name.test(word.toLowerCase())) ?? []
  if (!unit) throw unsupported("duration", "Write minutes, hours, days or weeks, such as `3 days`.")
  return `${Number(count) * times}${unit}`
}

const WORDS: Record<string, string> = { m: "minutes", h: "hours", d: "days" }
const fromDuration = (text: string) => `${text.slice(0, -1)} ${WORDS[text.slice(-1)]}`

/** Undefined where the step has no counterpart. */
export function fromStep(step: Step): Omit<AutomationStep, "key"> | undefined {
  switch (step.kind) {
    case "send":
      if (step.templateId === undefined) return undefined
      return {
        type: "send_email",
        config: { template: { id: step.templateId }, subject: step.subject },
      }
    case "wait":
      if (step.for === undefined) return undefined
      return { type: "delay", config: { duration: fromDuration(step.for) } }
    case "waitFor":
      return {
        type: "wait_for_event",
        config: { event_name: step.event, timeout: fromDuration(step.timeout) },
      }
    case "set":
      if (step.topics) return undefined
      return { type: "contact_update", config: { properties: step.properties } }
    case "branch": {
      const rule = step.cases.length === 1 && fromFilter(step.cases[0]?.filter ?? {})
      return rule ? { type: "condition", config: rule } : undefined
    }
    default:
      return undefined
  }
}
