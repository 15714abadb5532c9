import * as z from "zod"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../lib/time.ts"
import { blocks } from "../../campaigns/blocks/contract.ts"
import { eventName } from "../../contact-events/contract.ts"
import { properties, topicChoices } from "../../contacts/shapes.ts"
import { title } from "../../platform/http/shapes.ts"
import { type SegmentFilter, segmentFilter } from "../../segments/filter.ts"

export const MAX_STEPS = 100
export const MAX_DEPTH = 5
const MAX_CASES = 20
const MAX_PARTS = 20
const LONGEST_WAIT_MS = 365 * DAY_MS

const UNITS: Record<string, number> = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS }

/** The milliseconds of `3d`, `2h` or `30m`. */
export const durationMs = (text: string) => Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? 0)

const duration = z
  .string()
  .regex(/^[1-9][0-9]{0,5}[dhm]$/, "Must be a number of days, hours or minutes: 3d, 2h, 30m")
  .refine((text) => durationMs(text) <= LONGEST_WAIT_MS, "At most 365 days")

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
/** In the order of `Date.getUTCDay`. */
export const WEEK = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const

const clock = z.string().regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, "Must be a time such as 09:30")
const days = z
  .array(z.enum(DAYS))
  .min(1)
  .max(7)
  .optional()
  .describe("By default every day of the week.")

const moment = z.object({ days, time: clock })
export type Moment = z.output<typeof moment>

const isZone = (name: string) => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const sendWindow = z.object({
  days,
  from: clock,
  until: clock.describe("At or before `from`: on the next day."),
  zone: z
    .string()
    .max(64)
    .refine((name) => name === "contact" || isZone(name), "Must be a zone such as Europe/Berlin")
    .describe("An IANA zone, or `contact`: that of the contact's property `timezone`, else UTC."),
})
export type SendWindow = z.output<typeof sendWindow>

const key = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/, "Must have up to 40 of a to z, 0 to 9 and hyphens")
  .describe("Unique in the sequence. People who wait in a step are found by it after a change.")

const wait = z
  .object({
    key,
    kind: z.literal("wait"),
    for: duration.optional().describe("`3d`, `2h`, `30m`; from 1 minute to 365 days."),
    until: moment.optional().describe("The next such time, in the window's or the contact's zone."),
  })
  .refine((step) => (step.for === undefined) !== (step.until === undefined), {
    path: ["for"],
    error: "Either for or until",
  })

const send = z
  .object({
    key,
    kind: z.literal("send"),
    subject: title(998).describe("May contain merge fields."),
    preheader: title(200).nullable().default(null),
    blocks: blocks.optional(),
    templateId: z
      .string()
      .optional()
      .describe(
        "In place of blocks: a template, whose variables are fields or properties of the contact.",
      ),
  })
  .refine((step) => (step.blocks === undefined) !== (step.templateId === undefined), {
    path: ["blocks"],
    error: "Either blocks or templateId",
  })
export type SendStep = z.output<typeof send>

const set = z
  .object({
    key,
    kind: z.literal("set"),
    properties: properties.optional(),
    topics: topicChoices.optional(),
  })
  .refine((step) => step.properties !== undefined || step.topics !== undefined, {
    path: ["properties"],
    error: "properties, topics or both",
  })

const notify = z.object({ key, kind: z.literal("notify") })
const end = z.object({ key, kind: z.literal("end") })

const LEAVES = [wait, send, set, notify, end] as const

/** Written out, since a type cannot be inferred from a schema that contains itself. */
export type Step =
  | z.output<(typeof LEAVES)[number]>
  | { key: string; kind: "waitFor"; event: string; timeout: string; then: Step[]; else: Step[] }
  | { key: string; kind: "branch"; cases: { filter: SegmentFilter; steps: Step[] }[]; else: Step[] }
  | { key: string; kind: "split"; parts: { weight: number; steps: Step[] }[] }

/** The lists of steps inside of a step. */
const steps: z.ZodType<Step[]> = z.lazy(() => stepList)

const waitFor = z.object({
  key,
  kind: z.literal("waitFor"),
  event: eventName,
  timeout: duration,
  // biome-ignore lint/suspicious/noThenProperty: A member of the contract.
  then: steps.default([]).describe("After the event."),
  else: steps.default([]).describe("After the timeout."),
})

const branch = z.object({
  key,
  kind: z.literal("branch"),
  cases: z
    .array(z.object({ filter: segmentFilter, steps }))
    .min(1)
    .max(MAX_CASES)
    .describe("The first that matches."),
  else: steps.default([]),
})

const split = z.object({
  key,
  kind: z.literal("split"),
  parts: z
    .array(z.object({ weight: z.int().min(1).max(1_000), steps }))
    .min(2)
    .max(MAX_PARTS)
    .describe("A contact always gets the same part."),
})

const step = z
  .discriminatedUnion("kind", [...LEAVES, waitFor, branch, split])
  .meta({ id: "SequenceStep" })

const stepList: z.ZodArray<z.ZodType<Step>> = z.array(step).max(MAX_STEPS)

/** The lists of steps inside of a step. */
export function listsIn(step: Step): Step[][] {
  switch (step.kind) {
    case "waitFor":
      return [step.then, step.else]
    case "branch":
      return [...step.cases.map((one) => one.steps), step.else]
    case "split":
      return step.parts.map((part) => part.steps)
    default:
      return []
  }
}

/** All steps, in the order in which they are written. */
export const allSteps = (list: readonly Step[]): Step[] =>
  list.flatMap((one) => [one, ...listsIn(one).flatMap(allSteps)])

const depthOf = (list: readonly Step[]): number =>
  Math.max(0, ...list.map((one) => 1 + Math.max(0, ...listsIn(one).map(depthOf))))

export const sequenceSteps = stepList
  .check(({ value, issues }) => {
    const message = findFault(value)
    if (message) issues.push({ code: "custom", path: [], message, input: value })
  })
  .describe(`At most ${MAX_STEPS} steps in all, ${MAX_DEPTH} levels deep, each with its own key.`)

function findFault(list: readonly Step[]): string | undefined {
  if (depthOf(list) > MAX_DEPTH) return `At most ${MAX_DEPTH} levels`
  const keys = allSteps(list).map(({ key }) => key)
  if (keys.length > MAX_STEPS) return `At most ${MAX_STEPS} steps`
  const repeated = keys.find((key, index) => keys.indexOf(key) !== index)
  return repeated === undefined ? undefined : `Two steps have the key '${repeated}'`
}
