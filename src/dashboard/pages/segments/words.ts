import type { Contact } from "../../../client/types.ts"
import type { Condition, Operator } from "../../../worker/segments/filter.ts"
import { readWrittenTime } from "../../../worker/segments/times.ts"
import { counted } from "../../ui/numbers.ts"
import { LOCALE } from "../../ui/time/locale.ts"
import { exactTime } from "../../ui/time/times.ts"

export const FIELD_NAMES: Record<string, string> = {
  email: "Address",
  firstName: "First name",
  lastName: "Last name",
  subscribed: "Consent",
  createdAt: "Added",
}

const ACTIVITIES: Record<string, string> = {
  sent: "Was sent",
  opened: "Opened",
  clicked: "Clicked in",
}

const NO_ACTIVITY: Record<string, string> = {
  sent: "Was not sent",
  opened: "Did not open",
  clicked: "Did not click in",
}

/** Without a campaign's name, emails of sequences count, too. */
const anyOf = (words: string) => `${words} a campaign or sequence`

export const ACTIVITY_NAMES: Record<string, string> = Object.fromEntries(
  Object.entries(ACTIVITIES).map(([activity, words]) => [activity, anyOf(words)]),
)

/** What `about` of a condition on an event is. */
export const EVENT = "event"

export const OPERATOR_NAMES: Record<Operator, string> = {
  is: "is",
  isNot: "is not",
  contains: "contains",
  startsWith: "starts with",
  above: "is above",
  below: "is below",
  before: "is before",
  after: "is after",
  set: "has a value",
  notSet: "has no value",
}

export const groupWords = (isAny: boolean) => (isAny ? "Any of these" : "All of these")

const PROPERTY = "properties."

export const fieldWords = (field: string) =>
  FIELD_NAMES[field] ?? (field.startsWith(PROPERTY) ? field.slice(PROPERTY.length) : field)

const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeZone: "UTC" })

/** `{field: "email", op: "contains", value: "ada"}` becomes "Address contains “ada”". */
export function conditionWords(condition: Condition, campaigns: ReadonlyMap<string, string>) {
  const { activity, event, field = "", op = "is", value, not, campaignId, withinDays } = condition
  const period = withinDays && `in the last ${counted(withinDays, "day")}`
  if (event !== undefined) {
    const times = condition.count && condition.count > 1 && `at least ${condition.count} times`
    return [not && "No", event ? `“${event}” event` : "event", times, period]
      .filter(Boolean)
      .join(" ")
  }
  if (activity !== undefined) {
    const words = (not ? NO_ACTIVITY : ACTIVITIES)[activity] ?? activity
    const what = campaignId ? `${words} “${campaigns.get(campaignId) ?? campaignId}”` : anyOf(words)
    return period ? `${what} ${period}` : what
  }
  if (field === "subscribed") return value === (op === "is") ? "Subscribed" : "Unsubscribed"
  const words = `${fieldWords(field)} ${OPERATOR_NAMES[op as Operator] ?? op}`
  return value === undefined ? words : `${words} ${valueWords(op, value)}`
}

function valueWords(op: string, value: NonNullable<Condition["value"]>): string {
  if (typeof value === "number") return String(value)
  if ((op !== "before" && op !== "after") || typeof value !== "string") return `“${value}”`
  return /^\d{4}-\d{2}-\d{2}$/.test(value) ? day.format(new Date(value)) : exactTime(value)
}

type Sampled = Pick<Contact, "properties">

/** A value of each property that is no time, where contacts have one. By the property's field. */
export const notTimesOf = (sample: readonly Sampled[]): ReadonlyMap<string, string> =>
  new Map(
    sample.flatMap(({ properties }) =>
      Object.entries(properties)
        .filter(([, value]) => typeof value !== "number" && readWrittenTime(value) === null)
        .map(([name, value]) => [PROPERTY + name, String(value)] as const),
    ),
  )
