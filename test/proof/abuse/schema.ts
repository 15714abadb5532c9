import fc from "fast-check"
import type { Components, Json } from "../../../src/worker/platform/http/openapi/json-schema.ts"

const MAX_DEPTH = 6
const DAY_MS = 86_400_000

export interface Member {
  path: (string | number)[]
  schema: Json
}

/** Reads the JSON Schemas of the OpenAPI document. */
export function createSchemas(components: Components) {
  const resolved = (schema: Json): Json =>
    typeof schema.$ref === "string"
      ? resolved(components[schema.$ref.split("/").at(-1)!] as Json)
      : schema

  const branches = (schema: Json): Json[] =>
    ((schema.anyOf ?? schema.oneOf ?? []) as Json[]).map(resolved)

  /** Each member of a body, at any depth. A list is followed to its first item. */
  function membersOf(of: Json, path: Member["path"] = []): Member[] {
    const schema = resolved(of)
    const own = path.length > 0 ? [{ path, schema }] : []
    if (path.length >= MAX_DEPTH) return own
    const inner = Object.entries((schema.properties ?? {}) as Record<string, Json>)
    return [
      ...own,
      ...inner.flatMap(([name, member]) => membersOf(member, [...path, name])),
      ...(schema.items ? membersOf(schema.items as Json, [...path, 0]) : []),
      ...branches(schema).flatMap((branch) => membersOf(branch, path).slice(1)),
    ]
  }

  function valid(of: Json, depth = 0): fc.Arbitrary<unknown> {
    const schema = resolved(of)
    const choices = branches(schema)
    if ("const" in schema) return fc.constant(schema.const)
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
    if (depth > MAX_DEPTH) return fc.constant(null)
    if (choices.length > 0) return fc.oneof(...choices.map((choice) => valid(choice, depth + 1)))
    switch (schema.type) {
      case "string":
        return validString(schema)
      case "integer":
      case "number":
        return fc.integer(rangeOf(schema))
      case "boolean":
        return fc.boolean()
      case "null":
        return fc.constant(null)
      case "array":
        return fc.array(valid((schema.items ?? {}) as Json, depth + 1), {
          minLength: Number(schema.minItems ?? 0),
          maxLength: Math.max(Number(schema.minItems ?? 0), 3),
        })
      case "object":
        return validObject(schema, depth)
      default:
        return fc.jsonValue({ maxDepth: 2 })
    }
  }

  function validObject(schema: Json, depth: number) {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>)
    const requiredKeys = (schema.required ?? []) as string[]
    if (properties.length === 0) {
      const value =
        typeof schema.additionalProperties === "object" ? schema.additionalProperties : {}
      return fc.dictionary(
        fc.string({ minLength: 1, maxLength: 8 }),
        valid(value as Json, depth + 1),
        {
          maxKeys: 3,
        },
      )
    }
    return fc.record(
      Object.fromEntries(properties.map(([name, member]) => [name, valid(member, depth + 1)])),
      { requiredKeys },
    )
  }

  return { membersOf, valid, resolved }
}

const rangeOf = ({ minimum, maximum }: Json) => {
  const min = Math.max(Number(minimum ?? 0), -1_000_000)
  return { min, max: Math.max(min, Math.min(Number(maximum ?? 1_000), 1_000_000)) }
}

function validString(schema: Json): fc.Arbitrary<string> {
  const { format, minLength = 0, maxLength = 60, example } = schema
  if (format === "email") return fc.constantFrom("ada@example.com", "bob@example.org")
  if (format === "date-time") {
    return fc
      .integer({ min: -400, max: 400 })
      .map((days) => new Date(Date.now() + days * DAY_MS).toISOString())
  }
  const lengths = { minLength: Number(minLength), maxLength: Math.min(Number(maxLength), 60) }
  const free = fc.string({ ...lengths, unit: fc.constantFrom("a", "Z", "7", " ", "é", "-", "👋") })
  return typeof example === "string" ? fc.oneof(fc.constant(example), free) : free
}

/** Just inside and just outside of each bound. */
export function nearlyValid({
  type,
  minLength,
  maxLength,
  minimum,
  maximum,
  items,
  maxItems,
  enum: list,
}: Json): string[] {
  const texts = (count: unknown) =>
    [0, 1].map((more) => JSON.stringify("n".repeat(Math.min(Number(count) + more, 200_000))))
  const numbers = (bound: unknown) => [-1, 0, 1].map((by) => String(Number(bound) + by))
  return [
    ...(maxLength ? texts(maxLength) : []),
    ...(minLength ? texts(Number(minLength) - 1) : []),
    ...(maximum === undefined ? [] : numbers(maximum)),
    ...(minimum === undefined ? [] : numbers(minimum)),
    ...(Array.isArray(list) ? list.map((one) => JSON.stringify(String(one).toUpperCase())) : []),
    ...(type === "integer" || type === "number" ? ["1.5", '"1"'] : []),
    ...(items && maxItems
      ? [
          `[${Array(Number(maxItems) + 1)
            .fill('"a"')
            .join()}]`,
        ]
      : []),
  ]
}
