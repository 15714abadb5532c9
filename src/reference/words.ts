/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  not?: object
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | false
  description?: string
  example?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

export const refName = ({ $ref }: Schema) => $ref?.split("/").at(-1)

/** A schema's branches without null. */
export function branches(schema: Schema): Schema[] {
  const { type, anyOf, oneOf, ...rest } = schema
  const all =
    anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((one) => ({ ...rest, type: one })) : [schema])
  return all.filter((one) => one.type !== "null")
}

export const isNullable = ({ type, anyOf }: Schema): boolean =>
  (Array.isArray(type) && type.includes("null")) ||
  Boolean(anyOf?.some((one) => one.type === "null"))

/** The type in plain words, as Markdown: `timestamp`, `list of strings`, `one of a | b`. */
export const typeInWords = (schema: Schema): string => anyOf(branches(schema), "")

const anyOf = (schemas: readonly Schema[], plural: "" | "s") =>
  schemas.map((one) => oneType(one, plural)).join(" or ")

function oneType(schema: Schema, plural: "" | "s"): string {
  const name = refName(schema)
  if (name) return `[${name}](#schema-${name})`
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return `one of ${schema.enum.map(literal).join(" | ")}`
  if (schema.items) return `list${plural} of ${anyOf(branches(schema.items), "s")}`
  if (schema.additionalProperties) {
    const values = branches(schema.additionalProperties)
    return `object${plural}${values.some(isAnything) ? "" : ` of ${anyOf(values, "s")}`}`
  }
  if (isAnything(schema)) return "anything"
  return `${FORMATS[schema.format ?? ""] ?? schema.type}${plural}`
}

const isAnything = ({ type, anyOf, oneOf, $ref }: Schema) => !(type ?? anyOf ?? oneOf ?? $ref)

const literal = (value: unknown): string =>
  `\`${typeof value === "string" ? value : JSON.stringify(value)}\``

const FORMATS: Record<string, string> = { "date-time": "timestamp", date: "date", uri: "URL" }

/** Bounds in plain words: `1 to 64 characters`. */
export const limitsInWords = (schema: Schema): string[] =>
  [...new Set(branches(schema).flatMap(ownLimits))].filter(Boolean)

function ownLimits(schema: Schema): string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, type, format } = schema
  const isUnbounded = maximum === Number.MAX_SAFE_INTEGER
  const pattern = type === "string" && !format ? schema.pattern : undefined
  return [
    bounds(minLength, maxLength, "character"),
    bounds(minItems, maxItems, "item"),
    bounds(
      minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum,
      isUnbounded ? undefined : maximum,
    ),
    pattern && pattern.length <= MAX_PATTERN ? `matches \`${pattern}\`` : "",
  ]
}

/** Longer patterns are not shown, since the description is easier to read. */
const MAX_PATTERN = 48

function bounds(min: number | undefined, max: number | undefined, unit = ""): string {
  const noun = unit && ` ${unit}${(max ?? min) === 1 ? "" : "s"}`
  if (max === undefined) return min === undefined ? "" : `at least ${shown(min)}${noun}`
  if (min === undefined) return `up to ${shown(max)}${noun}`
  return `${shown(min)} to ${shown(max)}${noun}`
}

const shown = (value: number) => value.toLocaleString("en")
