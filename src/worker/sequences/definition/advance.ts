import { createHash } from "node:crypto"
import { type MergeContact, mergeValue } from "../../campaigns/blocks/merge.ts"
import { MAX_PROPERTIES, MAX_PROPERTIES_BYTES, type TopicChoices } from "../../contacts/shapes.ts"
import { jsonBytes } from "../../platform/http/shapes.ts"
import type { Condition, SegmentFilter } from "../../segments/filter.ts"
import { type Compared, createMatcher, happeningsOf } from "../../segments/matches.ts"
import type { RunEnd } from "../statuses.ts"
import { nextMoment, openingOf, windowZone } from "./clock.ts"
import { flowOf } from "./flow.ts"
import { durationMs, type SendWindow, type Step } from "./steps-contract.ts"

/** What a run follows. */
export interface Definition {
  steps: readonly Step[]
  goal: SegmentFilter | null
  endOnReply: boolean
  window: SendWindow | null
  /** The merge fields that the mail of a step cannot be without, by its key. */
  required: ReadonlyMap<string, readonly string[]>
  isArchived: boolean
}

/** Where a run stands: in a step since a time, or before the first one. */
export interface Standing {
  stepKey: string | null
  since: number
}

export interface RunContact extends Compared {
  id: string
  topics: TopicChoices
}

/** What is true of a run's contact now. */
export interface Facts {
  /** Null once it is deleted. */
  contact: RunContact | null
  isSuppressed: boolean
  /** By choice or default; also where the sequence has no topic. */
  wantsTopic: boolean
  /** Since the run began. */
  hasReplied: boolean
  /** The event that the run's step waits for has come. */
  hasEvent: boolean
  /** Of each condition on what happened, as JSON: whether it holds, apart from its `not`. */
  happened: ReadonlyMap<string, boolean>
  /** Why no mail can be sent now, such as a domain that is not verified any more. */
  cannotSend: string | null
}

export type Action =
  | { kind: "send"; stepKey: string }
  | {
      kind: "set"
      stepKey: string
      properties: Compared["properties"]
      topics: TopicChoices
    }
  | { kind: "notify"; stepKey: string }

export const OUTCOMES = [
  "waited",
  "event",
  "timeout",
  "sent",
  "skipped",
  "case",
  "else",
  "part",
  "set",
  "notified",
  "ended",
] as const

/** A step that the run has passed. */
export interface Passed {
  stepKey: string
  kind: Step["kind"]
  outcome: (typeof OUTCOMES)[number]
}

export type Next =
  | { state: "waiting"; stepKey: string; since: number; dueAt: number; waitsFor: string | null }
  | { state: "held"; stepKey: string; since: number; reason: string }
  | { state: "done"; stepKey: string | null; endedBy: RunEnd }

export interface Advance {
  passed: Passed[]
  actions: Action[]
  next: Next
}

/**
 * Moves a run as far as it comes now. It reads no clock and no database. The steps that it comes to
 * begin at `beginAt`.
 */
export function advance(
  definition: Definition,
  standing: Standing,
  facts: Facts,
  now: number,
  beginAt = now,
): Advance {
  const { goal, window } = definition
  const flow = flowOf(definition.steps)
  const passed: Passed[] = []
  const actions: Action[] = []
  const end = (stepKey: string | null, endedBy: RunEnd): Advance => ({
    passed,
    actions,
    next: { state: "done", stepKey, endedBy },
  })
  const { contact } = facts
  if (definition.isArchived) return end(standing.stepKey, "archived")
  if (!contact) return end(standing.stepKey, "deleted")
  if (!contact.subscribed) return end(standing.stepKey, "unsubscribed")
  if (facts.isSuppressed) return end(standing.stepKey, "suppressed")
  if (definition.endOnReply && facts.hasReplied) return end(standing.stepKey, "reply")

  let person = contact
  let key = standing.stepKey ?? flow.first
  let { since } = standing
  for (let isFirst = standing.stepKey !== null; ; isFirst = false) {
    if (goal && matches(goal, person, facts)) return end(key, "goal")
    const step = key === null ? undefined : flow.stepOf(key)
    if (!step) return end(null, "finished")
    const zone = windowZone(window, person.properties)
    const taken = take(step, { definition, facts, person, since, now, zone, isFirst })
    if ("dueAt" in taken || "reason" in taken) {
      const state = "dueAt" in taken ? "waiting" : "held"
      return { passed, actions, next: { state, stepKey: step.key, since, ...taken } as Next }
    }
    passed.push({ stepKey: step.key, kind: step.kind, outcome: taken.outcome })
    if (taken.action) {
      actions.push(taken.action)
      if (taken.action.kind === "set") {
        const { properties, topics } = taken.action
        person = {
          ...person,
          properties: { ...person.properties, ...properties },
          topics: { ...person.topics, ...topics },
        }
      }
    }
    if (step.kind === "end") return end(step.key, "finished")
    key = taken.inner?.[0]?.key ?? flow.after(step.key)
    since = beginAt
  }
}

interface At {
  definition: Definition
  facts: Facts
  person: RunContact
  since: number
  now: number
  zone: string
  /** The step that the run stood in. */
  isFirst: boolean
}

type Taken =
  | { dueAt: number; waitsFor: string | null }
  | { reason: string }
  | { outcome: Passed["outcome"]; action?: Action; inner?: readonly Step[] }

/** What a step does now: it waits, cannot go on, or is passed. */
function take(step: Step, { definition, facts, person, since, now, zone, isFirst }: At): Taken {
  const { window } = definition
  switch (step.kind) {
    case "wait": {
      const dueAt = step.until
        ? nextMoment(step.until, zone, since)
        : since + durationMs(step.for ?? "")
      return dueAt > now ? { dueAt, waitsFor: null } : { outcome: "waited" }
    }
    case "waitFor": {
      const dueAt = since + durationMs(step.timeout)
      if (isFirst && facts.hasEvent) return { outcome: "event", inner: step.then }
      if (dueAt > now) return { dueAt, waitsFor: step.event }
      return { outcome: "timeout", inner: step.else }
    }
    case "send": {
      if (!facts.wantsTopic) return { outcome: "skipped" }
      const dueAt = window ? openingOf(window, zone, now) : now
      if (dueAt > now) return { dueAt, waitsFor: null }
      const missing = definition.required.get(step.key)?.find((field) => !hasValue(person, field))
      const reason = facts.cannotSend ?? (missing && `The contact has no value for ${missing}.`)
      if (reason !== undefined) return { reason }
      return { outcome: "sent", action: { kind: "send", stepKey: step.key } }
    }
    case "branch": {
      const found = step.cases.find(({ filter }) => matches(filter, person, facts))
      return found ? { outcome: "case", inner: found.steps } : { outcome: "else", inner: step.else }
    }
    case "split":
      return { outcome: "part", inner: partOf(step, person.id) }
    case "set": {
      const { properties = {}, topics = {} } = step
      const merged = { ...person.properties, ...properties }
      if (Object.keys(merged).length > MAX_PROPERTIES || jsonBytes(merged) > MAX_PROPERTIES_BYTES) {
        return { reason: "The contact would have too many properties." }
      }
      return { outcome: "set", action: { kind: "set", stepKey: step.key, properties, topics } }
    }
    case "notify":
      return { outcome: "notified", action: { kind: "notify", stepKey: step.key } }
    case "end":
      return { outcome: "ended" }
  }
}

/** The name under which `Facts` tell of a condition. */
export const nameOf = (condition: Condition) => JSON.stringify({ ...condition, not: undefined })

const hasValue = (person: MergeContact, field: string) => mergeValue(person, {})(field) !== ""

const matches = (filter: SegmentFilter, person: Compared, { happened }: Facts) =>
  createMatcher(filter)(
    person,
    happeningsOf(filter).map((one) => happened.get(nameOf(one)) ?? false),
  )

/** By a hash of the contact and the step, so that the answer is the same for ever. */
function partOf(step: Extract<Step, { kind: "split" }>, contactId: string): readonly Step[] {
  const total = step.parts.reduce((sum, { weight }) => sum + weight, 0)
  const digest = createHash("sha256").update(`${contactId} ${step.key}`).digest()
  let left = digest.readUInt32BE(0) % total
  for (const { weight, steps } of step.parts) {
    if (left < weight) return steps
    left -= weight
  }
  return []
}
