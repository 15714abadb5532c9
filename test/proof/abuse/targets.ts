import { dashboardEndpoints, endpoints } from "../../../src/worker/contract.ts"
import type { Endpoint } from "../../../src/worker/platform/http/endpoint.ts"
import type { Components, Json } from "../../../src/worker/platform/http/openapi/json-schema.ts"
import { createOpenApi, openApiPath } from "../../../src/worker/platform/http/openapi/openapi.ts"
import { createResend } from "../../../src/worker/resend/app.ts"
import { RESEND_BODIES } from "../../worker/resend/bodies.ts"
import { createSchemas, type Member } from "./schema.ts"

export const SURFACES = { rest: "/api/v1", session: "/dashboard/api", resend: "/resend" } as const
export type Surface = keyof typeof SURFACES

/** A call that is abused. */
export interface Target {
  surface: Surface
  name: string
  method: string
  path: string
  endpoint?: Endpoint
  body?: Json
  members: Member[]
  query: string[]
}

interface Operation {
  parameters: { in: string; name: string }[]
  requestBody?: { content: { "application/json"?: { schema: Json } } }
}

const all = [...endpoints, ...dashboardEndpoints]
const document = createOpenApi(all, "")
export const schemas = createSchemas((document.components as { schemas: Components }).schemas)

const operationOf = (one: Endpoint) =>
  (document.paths as Record<string, Record<string, Operation>>)[openApiPath(one)]?.[
    one.method.toLowerCase()
  ] as Operation

/** Undefined for a call that takes no JSON. */
const bodyOf = (one: Endpoint) => operationOf(one).requestBody?.content["application/json"]?.schema

function targetOf(surface: Surface, endpoint: Endpoint): Target {
  const { method, path } = endpoint
  const { parameters } = operationOf(endpoint)
  const body = bodyOf(endpoint)
  return {
    ...{ surface, name: `${method} ${path}`, method, path, endpoint },
    ...(body && { body }),
    members: body ? schemas.membersOf(body) : [],
    query: parameters.filter((one) => one.in === "query").map(({ name }) => name),
  }
}

/** The schema of a member with this name in one of our bodies. Resend's names have underscores. */
const known = new Map(
  all
    .map(bodyOf)
    .flatMap((body) => (body ? schemas.membersOf(body) : []))
    .filter(({ path }) => path.length === 1)
    .map(({ path, schema }) => [String(path[0]), schema]),
)
const camelCase = (name: string) =>
  name.replace(/_([a-z])/g, (_match, letter) => letter.toUpperCase())

const segments = (path: string) => path.split("/").slice(1)

const isLike = (pattern: string, path: string) =>
  segments(pattern).length === segments(path).length &&
  segments(pattern).every((part, index) => part.startsWith(":") || part === segments(path)[index])

function resendTarget(method: string, path: string): Target {
  const [, names = ""] =
    Object.entries(RESEND_BODIES).find(([call]) => {
      const [ofMethod, ofPath = ""] = call.split(" ")
      return ofMethod === method && isLike(path, ofPath)
    }) ?? []
  const members = names.split(" ").filter(Boolean)
  return {
    ...{ surface: "resend", name: `${method} ${path}`, method, path },
    ...(members.length > 0 && { body: {} }),
    members: members.map((name) => ({ path: [name], schema: known.get(camelCase(name)) ?? {} })),
    query: method === "GET" ? ["limit", "after", "before"] : [],
  }
}

/** Hono lists its middlewares among the routes. */
const resendRoutes = createResend("")
  .routes.filter(({ path }) => path !== "/*")
  .map(({ method, path }) => [method === "ALL" ? "POST" : method, path.replace("*", "x")].join(" "))

export const TARGETS: readonly Target[] = [
  ...endpoints.filter(({ access }) => access !== "public").map((one) => targetOf("rest", one)),
  ...[...endpoints.filter(({ access }) => access !== "public"), ...dashboardEndpoints].map((one) =>
    targetOf("session", one),
  ),
  ...[...new Set(resendRoutes)].map((call) => {
    const [method = "", path = ""] = call.split(" ")
    return resendTarget(method, path)
  }),
]
