import type { ContactRow } from "../contacts/table.ts"
import { type Condition, conditionsOf, type SegmentFilter } from "./filter.ts"
import { groupOf, isGroup } from "./groups.ts"
import { readTime, readWrittenTime } from "./times.ts"

export type Compared = Pick<
  ContactRow,
  "email" | "firstName" | "lastName" | "subscribed" | "createdAt" | "properties"
>

/** The conditions on what happened: activities and events. */
export const happeningsOf = (filter: SegmentFilter): Condition[] =>
  conditionsOf(filter).filter(isHappening)

const isHappening = ({ activity, event }: Condition) =>
  activity !== undefined || event !== undefined

/** `happened` tells of each such condition whether it holds for the contact, apart from its `not`. */
export function createMatcher(filter: SegmentFilter) {
  const happenings = happeningsOf(filter)
  const wanted = new Map(conditionsOf(filter).map((one) => [one, fold(one.value)]))
  return (contact: Compared, happened: readonly boolean[] = []): boolean => {
    const fields = createFields(contact)
    const holds = (condition: Condition) =>
      isHappening(condition)
        ? Boolean(happened[happenings.indexOf(condition)]) !== Boolean(condition.not)
        : compare(fields, condition, wanted.get(condition) as string)
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

/** The fields of a contact. A folded text is kept: many conditions may ask for it. */
function createFields(contact: Compared) {
  const folded = new Map<string, string>()
  return {
    read: (field: string) => readField(contact, field),
    readFolded(field: string) {
      const text = folded.get(field) ?? fold(readField(contact, field))
      folded.set(field, text)
      return text
    },
  }
}

function compare(
  fields: ReturnType<typeof createFields>,
  { field = "", op, value }: Condition,
  wanted: string,
): boolean {
  const own = fields.read(field)
  const isSet = own !== null && own !== undefined && own !== ""
  switch (op) {
    case "set":
      return isSet
    case "notSet":
      return !isSet
    case "is":
      return isSet ? fields.readFolded(field) === wanted : value === ""
    case "isNot":
      return !(isSet ? fields.readFolded(field) === wanted : value === "")
    case "contains":
      return isSet && fields.readFolded(field).includes(wanted)
    case "startsWith":
      return isSet && fields.readFolded(field).startsWith(wanted)
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

const DECIMAL = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i

/** Properties that came with a CSV file are texts. Every comparison with no number is false. */
function numberOf(value: unknown): number {
  if (typeof value === "number") return value
  return typeof value === "string" && DECIMAL.test(value) ? Number(value) : Number.NaN
}

const timeOf = (value: unknown) =>
  typeof value === "number" ? value : (readWrittenTime(value) ?? Number.NaN)
