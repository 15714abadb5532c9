import type * as z from "zod"

/** What a value must be. zod's own words for it are hard to read. */
export const plainIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return ofType([issue.expected], issue.input)
    case "invalid_value":
      return issue.input === undefined ? REQUIRED : oneOf(issue.values)
    case "invalid_union":
      return Array.isArray(issue.options) ? oneOf(issue.options) : ofEveryType(issue)
    case "too_small":
      return issue.origin === "string" && issue.minimum === 1
        ? "May not be empty"
        : bound(issue.inclusive ? "At least" : "More than", issue.minimum, issue.origin)
    case "too_big":
      return bound(issue.inclusive ? "At most" : "Less than", issue.maximum, issue.origin)
    default:
      return undefined
  }
}

/** Whether a branch of a union takes no value of this type. */
export const isOfWrongType = ([issue, ...more]: readonly z.core.$ZodIssue[]): boolean =>
  issue?.code === "invalid_type" && issue.path.length === 0 && more.length === 0

const REQUIRED = "Required"

function ofType(types: readonly string[], input: unknown): string {
  if (input === undefined) return REQUIRED
  return `Must be ${either(types.map(nounOf))}, not ${nounOf(typeOf(input))}`
}

function ofEveryType({ errors, input }: { errors: z.core.$ZodIssue[][]; input?: unknown }) {
  const types = errors
    .flat()
    .flatMap((issue) => (issue.code === "invalid_type" ? issue.expected : []))
  return errors.every(isOfWrongType) ? ofType(types, input) : undefined
}

const NOUNS: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
}

const nounOf = (type: string) => NOUNS[type] ?? type

function typeOf(input: unknown): string {
  if (typeof input === "boolean") return String(input)
  if (input === null) return "null"
  return Array.isArray(input) ? "array" : typeof input
}

const oneOf = (values: readonly unknown[]) =>
  `Must be ${either(values.map((value) => JSON.stringify(value)))}`

const either = (all: string[]) =>
  [all.slice(0, -1).join(", "), ...all.slice(-1)].filter(Boolean).join(" or ")

const UNITS: Record<string, string> = { string: "character", array: "item" }

function bound(relation: string, count: number | bigint, origin: string): string {
  const unit = UNITS[origin]
  return `${relation} ${count}${unit ? ` ${unit}${count === 1 ? "" : "s"}` : ""}`
}
