import { refName, type Schema } from "./words.ts"

/** An example of a reply, made from the examples of its schemas. */
export function exampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  if (schema.example !== undefined) return schema.example
  const named = schemas[refName(schema) ?? ""]
  if (named) return exampleOf(named, schemas)
  if (schema.items) return [exampleOf(schema.items, schemas)]
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, one]) => [name, exampleOf(one, schemas)]),
    )
  }
  return schema.enum?.[0] ?? null
}

/** The characters that fit into the column beside a call. */
const LINE_LENGTH = 50

/** JSON with short lists and objects on one line. */
export function pretty(value: unknown, indent = ""): string {
  const flat = JSON.stringify(value, null, 1)?.replace(/\n\s*/g, " ") ?? ""
  if (typeof value !== "object" || value === null || flat.length + indent.length <= LINE_LENGTH) {
    return isEmpty(value) ? JSON.stringify(value) : flat
  }
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((one) => inner + pretty(one, inner))
    : Object.entries(value).map(([name, one]) => `${inner}"${name}": ${pretty(one, inner)}`)
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`
}

const isEmpty = (value: unknown) =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0
