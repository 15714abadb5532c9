import * as z from "zod"
import { endpoint } from "../http/endpoint.ts"
import { pageOf, pageQuery } from "../http/page.ts"
import { timestamp, title } from "../http/shapes.ts"

export const PERMISSIONS = ["full", "sending_only"] as const
export type Permission = (typeof PERMISSIONS)[number]

export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    permission: z.enum(PERMISSIONS),
    keyPrefix: z.string().describe("The first 16 characters of the secret."),
    domainId: z.string().nullable().describe("When set, the only domain the key may send from."),
    lastUsedAt: timestamp.nullable().describe("Written at most once a minute."),
    createdAt: timestamp,
  })
  .meta({ id: "ApiKey" })

export type ApiKey = z.output<typeof apiKey>

const tag = "API keys"

export const getMe = endpoint({
  method: "GET",
  path: "/me",
  access: "any",
  tag,
  summary: "The team and the key that call",
  status: 200,
  response: z.object({
    team: z.object({ id: z.string(), name: z.string() }),
    key: apiKey.pick({ id: true, name: true, permission: true, keyPrefix: true, domainId: true }),
  }),
})

export const createApiKey = endpoint({
  method: "POST",
  path: "/api-keys",
  access: "full",
  tag,
  summary: "Create a key; its secret is shown once",
  json: z.object({
    name: title(64),
    permission: z.enum(PERMISSIONS).default("full"),
    domainId: z.string().nullish(),
  }),
  status: 201,
  response: z.object({ id: z.string(), secret: z.string() }),
})

export const listApiKeys = endpoint({
  method: "GET",
  path: "/api-keys",
  access: "full",
  tag,
  summary: "List the live keys, newest first",
  query: pageQuery,
  status: 200,
  response: pageOf(apiKey),
})

export const revokeApiKey = endpoint({
  method: "DELETE",
  path: "/api-keys/:id",
  access: "full",
  tag,
  summary: "Revoke a key at once and for good",
  status: 204,
})
