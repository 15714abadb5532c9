import * as z from "zod"
import { dashboardRole, type Endpoint, paramNames } from "../endpoint.ts"
import { ERROR_STATUS, type ErrorCode } from "../errors.ts"
import { type Components, type Json, toParameters, toSchema } from "./json-schema.ts"
import { commonRefusals, ERROR_MEANING } from "./refusals.ts"

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

/** The body that the service POSTs to a webhook. */
interface SentEvent {
  type: string
  summary: string
  schema: z.ZodType
  headers: z.ZodObject
}

interface Extras {
  /** A description for each tag, in the order of the document. */
  tags?: Record<string, string>
  events?: readonly SentEvent[]
}

/** The OpenAPI 3.1 document of these endpoints, made from the schemas that validate them. */
export function createOpenApi(
  endpoints: readonly Endpoint[],
  serverUrl: string,
  { tags = {}, events = [] }: Extras = {},
): Json {
  const components: Components = {}
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = openApiPath(endpoint)
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: toOperation(endpoint, components),
    }
  }
  const used = [...new Set(endpoints.map(({ tag }) => tag))]
  return {
    openapi: "3.1.0",
    info: {
      title: "Edgepost",
      version: "1",
      description: "Sends transactional mail and campaigns, and tells what became of them.",
      contact: { name: "Edgepost" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags: used.map((name) => ({ name, ...(tags[name] && { description: tags[name] }) })),
    paths,
    webhooks: Object.fromEntries(
      events.map((event) => [event.type, { post: toWebhook(event, components) }]),
    ),
    components: {
      schemas: components,
      securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
    },
  }
}

export const openApiPath = ({ path }: Endpoint) => path.replace(/:([A-Za-z]+)/g, "{$1}")

function toOperation(endpoint: Endpoint, components: Components): Json {
  const { name, tag, summary, json, fileType, response, responseType, status, alsoStatus } =
    endpoint
  const answer = {
    description: "Success",
    ...(response && content("application/json", toSchema(response, components))),
    ...(responseType && content(responseType, { type: "string" })),
  }
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: endpoint.description ?? `${summary}.`,
    ...(endpoint.access === "public" && { security: [] }),
    "x-dashboard-role": dashboardRole(endpoint),
    parameters: [
      ...paramNames(endpoint.path).map((name) => ({
        name,
        in: "path",
        required: true,
        schema: { type: "string" },
      })),
      ...toParameters("query", endpoint.query, components),
      ...toParameters("header", endpoint.headers, components),
    ],
    ...(fileType && { requestBody: { required: true, ...content(fileType, {}) } }),
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
      default: { description: "An error", ...errorContent(components) },
    },
  }
}

/** Refusals by status, since two codes may have the same one. */
function refusals(endpoint: Endpoint, components: Components): Json {
  const { refuses = {} } = endpoint
  const own = Object.keys(refuses) as ErrorCode[]
  const codes = [...new Set([...commonRefusals(endpoint), ...own])]
  const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code])
  return Object.fromEntries(
    [...byStatus].map(([status, members]) => [
      status,
      {
        description: members
          .map((code) => `\`${code}\`: ${refuses[code] ?? ERROR_MEANING[code]}`)
          .join(" "),
        ...errorContent(components),
      },
    ]),
  )
}

function toWebhook({ type, summary, schema, headers }: SentEvent, components: Components): Json {
  return {
    operationId: `on.${type}`,
    tags: ["Webhooks"],
    summary,
    description: summary,
    security: [],
    parameters: toParameters("header", headers, components),
    requestBody: {
      required: true,
      ...content("application/json", toSchema(schema, components)),
    },
    responses: {
      "2XX": { description: "Received. Anything else is tried again." },
    },
  }
}

const content = (type: string, schema: Json) => ({ content: { [type]: { schema } } })

const errorContent = (components: Components) =>
  content("application/json", toSchema(errorEnvelope, components))
