import {
  type Condition,
  type Operator,
  type SegmentFilter,
  segmentFilter,
} from "../../../worker/segments/filter.ts"
import { groupOf, isGroup } from "../../../worker/segments/groups.ts"
import { inWords } from "../../ui/form/issue-words.ts"
import { ACTIVITY_NAMES, EVENT } from "./words.ts"

/** A condition as its fields show it: every value is a text. */
export interface ConditionDraft {
  key: number
  /** A field of a contact, `properties.` while its name is typed, an activity, or `event`. */
  about: string
  /** The name of a property or an event. */
  property: string
  count: string
  op: Operator
  text: string
  not: boolean
  campaignId: string
  withinDays: string
}

export interface GroupDraft<T = ConditionDraft> {
  key: number
  isAny: boolean
  items: readonly T[]
}

export type FilterDraft = GroupDraft<ConditionDraft | GroupDraft>

export const OTHER_PROPERTY = "properties."

let keys = 0

export const newCondition = (about = "email"): ConditionDraft => ({
  key: ++keys,
  about,
  op: "contains",
  not: false,
  property: "",
  count: "",
  text: "",
  campaignId: "",
  withinDays: "",
})

export const newGroup = (isAny: boolean): GroupDraft => ({
  key: ++keys,
  isAny,
  items: [newCondition()],
})

export const isGroupDraft = (one: ConditionDraft | GroupDraft): one is GroupDraft => "items" in one

const conditionsIn = ({ items }: FilterDraft) =>
  items.flatMap((item) => (isGroupDraft(item) ? item.items : [item]))

export const countConditions = (draft: FilterDraft) => conditionsIn(draft).length

export const hasFault = (draft: FilterDraft) => conditionsIn(draft).some(faultOf)

export function toDraft(filter: SegmentFilter): FilterDraft {
  const { items, isAny } = groupOf(filter)
  return {
    key: ++keys,
    isAny,
    items: items.map((item) => {
      if (!isGroup(item)) return toConditionDraft(item)
      const group = groupOf<Condition>(item)
      return { key: ++keys, isAny: group.isAny, items: group.items.map(toConditionDraft) }
    }),
  }
}

const WITHOUT_VALUE: Record<string, Operator> = { is: "notSet", isNot: "set" }

function toConditionDraft(condition: Condition): ConditionDraft {
  const { activity, event, field = "", op = "is", value = "", ...rest } = condition
  const { not = false, campaignId = "", withinDays = "", count = "" } = rest
  const about = event === undefined ? (activity ?? field) : EVENT
  const draft = {
    ...newCondition(about),
    not,
    campaignId,
    property: event ?? "",
    count: String(count),
  }
  const text = field === "subscribed" && op === "isNot" ? String(value !== true) : String(value)
  return {
    ...draft,
    text,
    op: field === "subscribed" ? "is" : (text === "" && WITHOUT_VALUE[op]) || (op as Operator),
    withinDays: String(withinDays),
  }
}

export const toFilter = ({ isAny, items }: FilterDraft): SegmentFilter =>
  toGroup(
    isAny,
    items.map((item) =>
      isGroupDraft(item) ? toGroup(item.isAny, item.items.map(toCondition)) : toCondition(item),
    ),
  )

const toGroup = <T>(isAny: boolean, items: T[]) => (isAny ? { any: items } : { all: items })

function toCondition(draft: ConditionDraft): Condition {
  const { about, property, op, not, campaignId, withinDays, count } = draft
  const period = {
    ...(withinDays && { withinDays: Number(withinDays) }),
    ...(not && { not }),
  }
  if (about === EVENT) {
    return { event: property.trim(), ...(count && { count: Number(count) }), ...period }
  }
  if (about in ACTIVITY_NAMES) {
    return { activity: about, ...(campaignId && { campaignId }), ...period }
  }
  const field = about === OTHER_PROPERTY ? OTHER_PROPERTY + property.trim() : about
  return op === "set" || op === "notSet" ? { field, op } : { field, op, value: toValue(draft) }
}

function toValue({ about, op, text }: ConditionDraft): string | number | boolean {
  if (about === "subscribed") return text === "true"
  const isNumber = (op === "above" || op === "below") && text.trim() !== ""
  return isNumber && Number.isFinite(Number(text)) ? Number(text) : text
}

const EXPECTED: Partial<Record<Operator, string>> = {
  above: "Enter a number",
  below: "Enter a number",
  before: "Choose a day",
  after: "Choose a day",
}

/** What the API has against a condition, in words. */
export function faultOf(draft: ConditionDraft): string | undefined {
  const { about, op, text, property } = draft
  if (about === OTHER_PROPERTY && property.trim() === "") return "Enter the name of the property"
  if (about === EVENT && property.trim() === "") return "Enter the name of the event"
  const isHappening = about === EVENT || about in ACTIVITY_NAMES
  const takesText = !isHappening && op !== "set" && op !== "notSet"
  if (takesText && text === "") return EXPECTED[op] ?? "Enter a value"
  const { error } = segmentFilter.safeParse({ all: [toCondition(draft)] }, { error: inWords })
  return error && ((takesText && EXPECTED[op]) || error.issues[0]?.message)
}
