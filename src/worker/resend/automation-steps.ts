import * as z from "zod"
import { type Condition, conditionsOf, type SegmentFilter } from "../segments/filter.ts"
import { isGroup } from "../segments/groups.ts"
import type { Step } from "../sequences/definition/steps-contract.ts"
import { unsupported } from "./errors.ts"

export const automationStep = z.object({
  key: z.string(),
  type: z.string(),
  config: z.record(z.string(), z.unknown()).default({}),
})
export type AutomationStep = z.output<typeof automationStep>

export const connection = z.object({
  from: z.string(),
  to: z.string(),
  type: z.string().default("default"),
})
export type Connection = z.output<typeof connection>

type ToSend = (key: string, source: AutomationStep) => Step

/** The types of the connections of a step with two arms. */
const ARMS: Record<string, [string, string]> = {
  condition: ["condition_met", "condition_not_met"],
  wait_for_event: ["event_received", "timeout"],
}
const TRIGGER = "trigger"
const LONGEST_WAIT = "30d"

/** Keys of Resend may have other signs. */
const keyOf = (key: string) => key.toLowerCase().replace(/[^a-z0-9-]/g, "-")

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

function toBranch({ key, type, config }: AutomationStep, first: Step[], second: Step[]): Step {
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

function toLeaf(step: AutomationStep, toSend: ToSend): Step {
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

const OPERATORS: Record<string, string> = {
  eq: "is",
  neq: "isNot",
  gt: "above",
  lt: "below",
  contains: "contains",
  starts_with: "startsWith",
  exists: "set",
  is_empty: "notSet",
}
const FIELDS: Record<string, string> = {
  email: "email",
  first_name: "firstName",
  last_name: "lastName",
}
const NOT_COMPARED = ["id", "unsubscribed", "created_at"]

interface Rule {
  type?: string
  rules?: Rule[]
  field?: string
  operator?: string
  value?: unknown
}

function toFilter(rule: Rule): SegmentFilter {
  const items = (rule.rules ?? [rule]).map((one) =>
    one.rules ? { [levelOf(one)]: one.rules.map(toCondition) } : toCondition(one),
  )
  return { [levelOf(rule)]: items } as SegmentFilter
}

const levelOf = ({ type }: Rule) => (type === "or" ? "any" : "all")

function toCondition({ field = "", operator = "", value, rules }: Rule) {
  if (rules) throw unsupported("rules", "Groups are two levels deep.")
  const [, name] = /^contact\.(.+)$/.exec(field) ?? []
  if (name === undefined) throw unsupported(field, "A condition asks about `contact.` alone.")
  const op = OPERATORS[operator]
  if (!op) throw unsupported("operator", `A condition has no ${operator}.`)
  const own = FIELDS[name] ?? `properties.${name.replace(/^properties\./, "")}`
  if (NOT_COMPARED.includes(name)) throw unsupported(field, "A condition cannot ask for it.")
  const isUnary = op === "set" || op === "notSet"
  return { field: own, op, ...(!isUnary && { value }) }
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

function fromStep(step: Step): Omit<AutomationStep, "key"> | undefined {
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

const THEIR_OPERATORS = new Map(Object.entries(OPERATORS).map(([theirs, ours]) => [ours, theirs]))
const THEIR_FIELDS = new Map(Object.entries(FIELDS).map(([theirs, ours]) => [ours, theirs]))

function fromFilter(filter: SegmentFilter): AutomationStep["config"] | undefined {
  const canSay = conditionsOf(filter).every(
    ({ field = "", op = "" }) =>
      THEIR_OPERATORS.has(op) && /^(email|firstName|lastName|properties\..*)$/.test(field),
  )
  return canSay ? fromLevel(filter) : undefined
}

function fromLevel({ all, any }: SegmentFilter): AutomationStep["config"] {
  const rules = (all ?? any ?? []).map((one) =>
    isGroup(one) ? fromLevel(one) : fromCondition(one),
  )
  const [only] = rules
  return rules.length === 1 && only ? only : { type: all ? "and" : "or", rules }
}

const fromCondition = ({ field = "", op = "", value }: Condition) => ({
  type: "rule",
  field: `contact.${THEIR_FIELDS.get(field) ?? field.replace(/^properties\./, "")}`,
  operator: THEIR_OPERATORS.get(op),
  ...(value !== undefined && { value }),
})
