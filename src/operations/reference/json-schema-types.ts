import type { Schema } from "../../reference/words.ts"
import { withoutReferenceLinks } from "../../worker/platform/http/openapi/json-schema.ts"

/**
 * Turns a schema into an exported TypeScript type. Descriptions become comments. The type extends
 * one of the `others` that it contains: `EmailWithEvents` has all of `Email`.
 */
export function toDeclaration(
  name: string,
  schema: Schema,
  others: Record<string, Schema> = {},
): string {
  const base = Object.keys(others).find(
    (other) =>
      other !== name &&
      (schema.oneOf || name.startsWith(other)) &&
      isPartOf(others[other] ?? {}, schema),
  )
  const type = toType(base ? without(schema, others[base] ?? {}) : schema)
  const declared = schema.properties
    ? `interface ${name}${base ? ` extends ${base}` : ""} ${type}`
    : `type ${name} = ${base ? `${base} | ` : ""}${type}`
  return `${comment(schema.description)}export ${declared}\n`
}

/** The branches of a union, or the members of an object. */
const partsOf = ({ oneOf, properties = {}, required = [] }: Schema): string[] =>
  (
    oneOf ?? Object.entries(properties).map((member) => [...member, required.includes(member[0])])
  ).map((part) => JSON.stringify(part))

function isPartOf(base: Schema, schema: Schema): boolean {
  const [parts, own] = [partsOf(base), new Set(partsOf(schema))]
  return parts.length > 0 && parts.every((part) => own.has(part))
}

function without({ oneOf, properties = {}, ...schema }: Schema, base: Schema): Schema {
  if (oneOf) {
    const known = new Set(partsOf(base))
    return { oneOf: oneOf.filter((branch) => !known.has(JSON.stringify(branch))) }
  }
  const own = Object.entries(properties).filter(([name]) => !base.properties?.[name])
  return { ...schema, properties: Object.fromEntries(own) }
}

function toType(schema: Schema): string {
  const { $ref, const: constant, enum: values, anyOf, oneOf, type } = schema
  if ($ref) return $ref.slice($ref.lastIndexOf("/") + 1)
  if (constant !== undefined) return JSON.stringify(constant)
  if (values) return union(values.map((value) => JSON.stringify(value)))
  const branches = anyOf ?? oneOf
  if (branches) return union(branches.map(toType))
  if (Array.isArray(type)) return union(type.map((one) => toType({ ...schema, type: one })))
  switch (type) {
    case "array":
      return list(toType(schema.items ?? {}))
    case "object":
      return toObject(schema)
    case "integer":
      return "number"
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type
    default:
      return "unknown"
  }
}

function toObject({ properties, required = [], additionalProperties }: Schema): string {
  if (!properties) {
    const values =
      typeof additionalProperties === "object" ? toType(additionalProperties) : "unknown"
    return `Record<string, ${values}>`
  }
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
    const mark = required.includes(name) ? "" : "?"
    return `${comment(schema.description)}${key}${mark}: ${toType(schema)}\n`
  })
  return `{\n${members.join("")}}`
}

const union = (types: string[]) => [...new Set(types)].join(" | ")

const list = (type: string) => (/^[\w.]+$/.test(type) ? `${type}[]` : `Array<${type}>`)

function comment(text = ""): string {
  const words = withoutReferenceLinks(text)
    .replaceAll("*/", "*\\/")
    .replace(/\s*\n\s*/g, " ")
  return words ? `/** ${words} */\n` : ""
}
