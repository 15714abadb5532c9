import * as z from "zod"

export type Json = Record<string, unknown>

/** The named schemas, by name. */
export type Components = Record<string, Json>

const COMPONENTS = "#/components/schemas/"

/** The JSON Schema. Named schemas move to the document's components. */
export function toSchema(schema: z.ZodType, components: Components): Json {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod
      if (def.type === "default") sayDefault(jsonSchema, def.defaultValue)
      if (def.type === "undefined") jsonSchema.not = {}
      // zod reads numbers of a query as text.
      if (jsonSchema.type === "integer") delete jsonSchema.pattern
    },
  }) as Json
  for (const [name, definition] of Object.entries($defs ?? {})) {
    components[name] = cleaned(definition as Json)
  }
  return cleaned(json)
}

/** The same in one piece, for a reader without the document. Examples only make it longer. */
export function toWholeSchema(schema: z.ZodType): Json & { type: "object" } {
  const $defs: Components = {}
  const { $ref, ...json } = toSchema(schema, $defs)
  const named = typeof $ref === "string" ? $defs[$ref.slice(COMPONENTS.length)] : undefined
  const whole = { ...json, ...named, ...(Object.keys($defs).length > 0 && { $defs }) }
  return JSON.parse(
    JSON.stringify(whole).replaceAll(`"${COMPONENTS}`, '"#/$defs/'),
    (name, value) => (name === "example" ? undefined : value),
  )
}

export const toParameters = (
  where: "query" | "header",
  schema: z.ZodObject | undefined,
  components: Components,
) =>
  Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...shape } = toSchema(field as z.ZodType, components)
    return {
      name,
      in: where,
      required: !(field as z.ZodType).safeParse(undefined).success,
      ...(description ? { description } : {}),
      schema: shape,
    }
  })

/** Descriptions link to sections of the reference, which other readers cannot open: the words stay. */
export const withoutReferenceLinks = (text: string) => text.replace(/\[([^\]]+)\]\(#[^)]*\)/g, "$1")

/**
 * Describes a default in words. Generators of clients treat a member with a `default` as required,
 * so callers would have to send it.
 */
function sayDefault(jsonSchema: { default?: unknown; description?: string }, value: unknown) {
  delete jsonSchema.default
  const text = JSON.stringify(value)
  if (["[]", "{}", "null"].includes(text)) return
  jsonSchema.description = [jsonSchema.description, `By default \`${text}\`.`]
    .filter(Boolean)
    .join(" ")
}

/** Points references to the components, and removes members that can never exist. */
const cleaned = (json: Json): Json =>
  JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', `"${COMPONENTS}`), (_name, value) =>
    isImpossible(value) ? undefined : value,
  )

const isImpossible = (value: unknown) => JSON.stringify(value) === '{"not":{}}'
