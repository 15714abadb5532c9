/** The part of JSON Schema that the OpenAPI document uses. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  description?: string
}

/** Turns a schema into an exported TypeScript type. Descriptions become comments. */
export function toDeclaration(name: string, schema: JsonSchema): string {
  const type = toType(schema)
  const declared = schema.properties ? `interface ${name} ${type}` : `type ${name} = ${type}`
  return `${comment(schema.description)}export ${declared}\n`
}

function toType(schema: JsonSchema): string {
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

function toObject({ properties, required = [], additionalProperties }: JsonSchema): string {
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

/** Removes links to the reference, and keeps their words. */
function comment(text: string | undefined): string {
  const words = text
    ?.replace(/\[([^\]]+)\]\(#[^)]*\)/g, "$1")
    .replaceAll("*/", "*\\/")
    .replace(/\s*\n\s*/g, " ")
  return words ? `/** ${words} */\n` : ""
}
