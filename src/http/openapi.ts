import * as z from "zod"
import { dashboardRole, type Endpoint } from "./endpoint.ts"
import { ERROR_STATUS, type ErrorCode } from "./errors.ts"

const errorEnvelope = z
  .object({
    error: z.object({
      code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
      message: z.string(),
      details: z.unknown().optional(),
    }),
  })
  .meta({
    id: "Error",
    example: {
      error: {
        code: "validation_error",
        message: "to: At least one recipient",
        details: [{ path: ["to"], message: "At least one recipient" }],
      },
    },
  })

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of these endpoints, out of the schemas that validate them. */
export function openApi(endpoints: readonly Endpoint[], serverUrl: string): Json {
  const components: Json = {}
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = openApiPath(endpoint)
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: toOperation(endpoint, components),
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Edgepost", version: "1" },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: components,
      securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
    },
  }
}

export const openApiPath = ({ path }: Endpoint) => path.replace(/:([A-Za-z]+)/g, "{$1}")

function toOperation(endpoint: Endpoint, components: Json): Json {
  const { tag, summary, description, json, response, responseType, status, alsoStatus } = endpoint
  const answer = {
    description: "Success",
    ...(response && content("application/json", toSchema(response, components))),
    ...(responseType && content(responseType, { type: "string" })),
  }
  return {
    operationId: operationId(endpoint),
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(endpoint.access === "public" && { security: [] }),
    "x-dashboard-role": dashboardRole(endpoint),
    parameters: [
      ...(endpoint.path.match(/(?<=:)[A-Za-z]+/g) ?? []).map((name) => ({
        name,
        in: "path",
        required: true,
        schema: { type: "string" },
      })),
      ...toParameters("query", endpoint.query, components),
      ...toParameters("header", endpoint.headers, components),
    ],
    ...(json && {
      requestBody: {
        required: !endpoint.bodyOptional,
        content: {
          "application/json": {
            schema: toSchema(json, components),
            ...(endpoint.example && { example: endpoint.example() }),
          },
        },
      },
    }),
    responses: {
      [status]: status === 204 ? { description: "Success" } : answer,
      ...(alsoStatus && { [alsoStatus]: answer }),
      ...refusals(endpoint, components),
      default: {
        description: "An error",
        ...content("application/json", toSchema(errorEnvelope, components)),
      },
    },
  }
}

/** A call's own refusals by status: two codes may share one. */
function refusals({ refuses = {} }: Endpoint, components: Json): Json {
  const entries = Object.entries(refuses) as [ErrorCode, string][]
  const byStatus = Map.groupBy(entries, ([code]) => ERROR_STATUS[code])
  return Object.fromEntries(
    [...byStatus].map(([status, members]) => [
      status,
      {
        description: members.map(([code, when]) => `\`${code}\`: ${when}`).join(" "),
        ...content("application/json", toSchema(errorEnvelope, components)),
      },
    ]),
  )
}

const content = (type: string, schema: Json) => ({ content: { [type]: { schema } } })

export const operationId = ({ method, path }: Endpoint) =>
  [method.toLowerCase(), ...path.split(/[/:.-]+/).filter(Boolean)]
    .map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1)))
    .join("")

function toParameters(
  where: "query" | "header",
  schema: z.ZodObject | undefined,
  components: Json,
) {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...shape } = toSchema(field as z.ZodType, components)
    return {
      name,
      in: where,
      required: false,
      ...(description ? { description } : {}),
      schema: shape,
    }
  })
}

/** The schema as the wire shows it; named ones move to the document's components. */
function toSchema(schema: z.ZodType, components: Json): Json {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema: { _zod }, jsonSchema }) => {
      if (_zod.def.type === "default")
        jsonSchema.default = _zod.def.defaultValue as typeof jsonSchema.default
      if (_zod.def.type === "undefined") jsonSchema.not = {}
    },
  }) as Json
  for (const [name, definition] of Object.entries($defs ?? {})) {
    components[name] = withRefs(definition as Json)
  }
  return withRefs(json)
}

const withRefs = (json: Json): Json =>
  JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'))
