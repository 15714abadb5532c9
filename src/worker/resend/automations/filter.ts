import { type Condition, conditionsOf, type SegmentFilter } from "../../segments/filter.ts"
import { isGroup } from "../../segments/groups.ts"
import { unsupported } from "../errors.ts"

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

/** The filter of a rule, which may be a group of rules. */
export function toFilter(rule: Rule): SegmentFilter {
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

type Config = Record<string, unknown>

const THEIR_OPERATORS = new Map(Object.entries(OPERATORS).map(([theirs, ours]) => [ours, theirs]))
const THEIR_FIELDS = new Map(Object.entries(FIELDS).map(([theirs, ours]) => [ours, theirs]))

/** The rule of a filter; undefined where a condition has no counterpart. */
export function fromFilter(filter: SegmentFilter): Config | undefined {
  const canSay = conditionsOf(filter).every(
    ({ field = "", op = "" }) =>
      THEIR_OPERATORS.has(op) && /^(email|firstName|lastName|properties\..*)$/.test(field),
  )
  return canSay ? fromLevel(filter) : undefined
}

function fromLevel({ all, any }: SegmentFilter): Config {
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
