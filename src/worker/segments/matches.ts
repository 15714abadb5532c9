import type { ContactRow } from "../contacts/table.ts"
import { type Condition, conditionsOf, readTime, type SegmentFilter } from "./filter.ts"
import { groupOf, isGroup } from "./groups.ts"

export type Compared = Pick<
  ContactRow,
  "email" | "firstName" | "lastName" | "subscribed" | "createdAt" | "properties"
>

export const activitiesOf = (filter: SegmentFilter): Condition[] =>
  conditionsOf(filter).filter(({ activity }) => activity !== undefined)

/** `happened` tells of each activity of the filter whether the contact has it. */
export function createMatcher(filter: SegmentFilter) {
  const activities = activitiesOf(filter)
  return (contact: Compared, happened: readonly boolean[] = []): boolean => {
    const holds = (condition: Condition) =>
      condition.activity === undefined
        ? compare(contact, condition)
        : Boolean(happened[activities.indexOf(condition)]) !== Boolean(condition.not)
    const some = (isAny: boolean, results: boolean[]) =>
      isAny ? results.includes(true) : !results.includes(false)
    const { items, isAny } = groupOf(filter)
    return some(
      isAny,
      items.map((item) => {
        if (!isGroup(item)) return holds(item)
        const group = groupOf<Condition>(item)
        return some(group.isAny, group.items.map(holds))
      }),
    )
  }
}

function readField(contact: Compared, field: string): unknown {
  const [, property] = /^properties\.(.*)$/s.exec(field) ?? []
  if (property === undefined) return contact[field as keyof Compared]
  return Object.hasOwn(contact.properties, property) ? contact.properties[property] : null
}

const fold = (value: unknown) => String(value).normalize("NFC").toLowerCase()

function compare(contact: Compared, { field = "", op, value }: Condition): boolean {
  const own = readField(contact, field)
  const isSet = own !== null && own !== undefined && own !== ""
  switch (op) {
    case "set":
      return isSet
    case "notSet":
      return !isSet
    case "is":
      return isSet ? fold(own) === fold(value) : value === ""
    case "isNot":
      return !(isSet ? fold(own) === fold(value) : value === "")
    case "contains":
      return isSet && fold(own).includes(fold(value))
    case "startsWith":
      return isSet && fold(own).startsWith(fold(value))
    case "above":
      return numberOf(own) > Number(value)
    case "below":
      return numberOf(own) < Number(value)
    case "before":
      return timeOf(own) < (readTime(value) ?? Number.NaN)
    case "after":
      return timeOf(own) > (readTime(value) ?? Number.NaN)
    default:
      return false
  }
}

/** Properties that came with a CSV file are texts. Every comparison with no number is false. */
function numberOf(value: unknown): number {
  if (typeof value === "number") return value
  return typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN
}

const timeOf = (value: unknown) =>
  typeof value === "number" ? value : (readTime(value) ?? Number.NaN)
