import * as z from "zod"
import { MAX_PROPERTY_NAME_CHARACTERS } from "../contacts/shapes.ts"
import { groupOf, isGroup } from "./groups.ts"
import { readTime } from "./times.ts"

export const MAX_CONDITIONS = 20
const MAX_VALUE_CHARACTERS = 500
const MAX_DAYS = 3_650
const MAX_COUNT = 1_000

const OPERATORS = [
  "is",
  "isNot",
  "contains",
  "startsWith",
  "above",
  "below",
  "before",
  "after",
  "set",
  "notSet",
] as const
export type Operator = (typeof OPERATORS)[number]

const ACTIVITIES = ["sent", "opened", "clicked"] as const

const condition = z.object({
  field: z
    .string()
    .max(MAX_PROPERTY_NAME_CHARACTERS + "properties.".length)
    .optional()
    .describe(
      "`email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`.",
    ),
  op: z
    .string()
    .optional()
    .describe(`One of ${OPERATORS.map((op) => `\`${op}\``).join(", ")}.`),
  value: z
    .union([z.string().max(MAX_VALUE_CHARACTERS), z.number(), z.boolean()])
    .optional()
    .describe("Text, a number, true or false, or an ISO time. `set` and `notSet` take none."),
  activity: z
    .string()
    .optional()
    .describe(
      `In place of \`field\`: what became of mail of campaigns, one of ${ACTIVITIES.map((one) => `\`${one}\``).join(", ")}. A click counts as an open.`,
    ),
  campaignId: z.string().optional().describe("The activity with this campaign alone."),
  event: z
    .string()
    .optional()
    .describe("In place of `field`: an event that was told of the contact, by its name."),
  count: z
    .int()
    .min(1)
    .max(MAX_COUNT)
    .optional()
    .describe("The event at least this often. Events are kept for 90 days."),
  withinDays: z
    .int()
    .min(1)
    .max(MAX_DAYS)
    .optional()
    .describe("The activity or the event of the last days alone."),
  not: z
    .boolean()
    .optional()
    .describe(
      "`true`: contacts without the activity or the event, also those who were never mailed.",
    ),
})
export type Condition = z.output<typeof condition>

const conditions = z.array(condition).optional()
const item = condition.extend({
  all: conditions.describe("In place of a condition: a group, one level deep."),
  any: conditions.describe("The same, where one condition is enough."),
})

export const segmentFilter = z
  .object({
    all: z.array(item).optional().describe("Every one of them has to hold."),
    any: z.array(item).optional().describe("One of them has to hold."),
  })
  .check(({ value, issues }) => {
    const message = findFault(value)
    if (message) issues.push({ code: "custom", path: [], message, input: value })
  })
  .describe(
    `\`{all: […]}\` or \`{any: […]}\` with conditions \`{field, op, value}\`, at most ${MAX_CONDITIONS} on both levels. Text is compared without regard to case. \`above\` and \`below\` compare numbers, \`before\` and \`after\` times; a property may have its time as \`2018-03-24 10:23:10 UTC\`, \`2018-03-24 10:23\` or \`24.03.2018\`, too, without a zone in UTC. \`isNot\` includes contacts without a value.`,
  )
export type SegmentFilter = z.output<typeof segmentFilter>

export const conditionsOf = (filter: SegmentFilter): Condition[] =>
  groupOf(filter).items.flatMap((one) => (isGroup(one) ? groupOf<Condition>(one).items : [one]))

/** Says what is wrong with a filter whose members have the right types. */
function findFault(filter: SegmentFilter): string | undefined {
  const groups = [filter, ...groupOf(filter).items.filter(isGroup)]
  if (groups.some(({ all, any }) => (all === undefined) === (any === undefined)))
    return "Each level has either all or any"
  if (groups.some((group) => groupOf<unknown>(group).items.length === 0))
    return "Each level has at least one condition"
  const mixed = groups.slice(1).some((group) => Object.keys(given(group)).length > 1)
  if (mixed) return "A group holds nothing beside all or any"
  const conditions = conditionsOf(filter)
  if (conditions.some((one) => isGroup(one))) return "A group cannot hold another group"
  if (conditions.length > MAX_CONDITIONS) return `At most ${MAX_CONDITIONS} conditions`
  return conditions.map(findFaultIn).find((message) => message !== undefined)
}

/** The name of an event, such as `order.paid`. */
export const EVENT_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/

const given = (one: object) =>
  Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined))

const TEXT: readonly Operator[] = ["is", "isNot", "contains", "startsWith", "set", "notSet"]
const OPERATORS_OF = new Map<string, readonly Operator[]>([
  ["email", TEXT],
  ["firstName", TEXT],
  ["lastName", TEXT],
  ["subscribed", ["is", "isNot"]],
  ["createdAt", ["before", "after"]],
])

/** The operators that fit a field; undefined for an unknown field. */
export const operatorsOf = (field: string): readonly Operator[] | undefined =>
  /^properties\../s.test(field) ? OPERATORS : OPERATORS_OF.get(field)

function findFaultIn(condition: Condition): string | undefined {
  const { field, op, value, activity, event, count, campaignId, ...others } = given(
    condition,
  ) as Condition
  const kinds = [field, activity, event].filter((one) => one !== undefined)
  if (kinds.length !== 1) return "A condition has either field or activity or event"
  if (field === undefined && (op !== undefined || value !== undefined))
    return "op and value belong to a field"
  if (count !== undefined && event === undefined) return "count belongs to an event"
  if (campaignId !== undefined && activity === undefined) return "campaignId belongs to an activity"
  if (event !== undefined) return EVENT_NAME.test(event) ? undefined : `No event: ${event}`
  if (activity !== undefined)
    return ACTIVITIES.some((one) => one === activity) ? undefined : `No activity: ${activity}`
  if (field === undefined) return undefined
  if (Object.keys(others).length > 0) return "withinDays and not belong to an activity or an event"
  const fitting = operatorsOf(field)
  if (!fitting) return `No field: ${field}`
  if (!fitting.some((one) => one === op)) return `${field} cannot be compared by ${op ?? "nothing"}`
  return findFaultOf(field, op as Operator, value)
}

function findFaultOf(field: string, op: Operator, value: Condition["value"]): string | undefined {
  switch (op) {
    case "set":
    case "notSet":
      return value === undefined ? undefined : `${op} takes no value`
    case "above":
    case "below":
      return typeof value === "number" ? undefined : `${op} takes a number`
    case "before":
    case "after":
      return readTime(value) === null ? `${op} takes an ISO time` : undefined
    case "contains":
    case "startsWith":
      return typeof value === "string" && value !== "" ? undefined : `${op} takes a text`
    default:
      if (field === "subscribed")
        return typeof value === "boolean" ? undefined : "subscribed is true or false"
      if (OPERATORS_OF.has(field))
        return typeof value === "string" ? undefined : `${field} is a text`
      return value === undefined ? `${op} takes a value` : undefined
  }
}
