import * as z from "zod"
import type { Permission } from "../../platform/context.ts"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { pageOf, pageQuery } from "../../platform/http/page.ts"
import { timestamp, title } from "../../platform/http/shapes.ts"

export type { Permission }

export const PERMISSIONS = ["full", "sending_only"] as const satisfies readonly Permission[]

const callerExample = {
  id: exampleId("apiKey"),
  name: "CI",
  permission: "sending_only",
  keyPrefix: "svc_live_Zx3kP9a",
  domainId: null,
}

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
  .meta({
    id: "ApiKey",
    example: {
      ...callerExample,
      lastUsedAt: EXAMPLE_TIME,
      createdAt: EXAMPLE_TIME,
    },
  })

export type ApiKey = z.output<typeof apiKey>

const tag = "API keys"

export const getMe = endpoint({
  name: "me",
  call: "GET /me",
  access: "any",
  tag,
  summary: "The team and the key that call",
  response: z
    .object({
      team: z.object({ id: z.string(), name: z.string() }),
      key: apiKey.pick({ id: true, name: true, permission: true, keyPrefix: true, domainId: true }),
    })
    .meta({ example: { team: { id: exampleId("team"), name: "Our team" }, key: callerExample } }),
})

export const createApiKey = endpoint({
  name: "apiKeys.create",
  call: "POST /api-keys",
  access: "full",
  tag,
  summary: "Create a key; its secret is shown once",
  example: () => ({ name: "CI", permission: "sending_only" }),
  refuses: {
    validation_error: "Also a `domainId` that is none of the team's.",
    forbidden: "The key that calls is restricted to another domain.",
    conflict: "The team has 100 live keys.",
  },
  json: z.object({
    name: title(64),
    permission: z.enum(PERMISSIONS).default("full"),
    domainId: z
      .string()
      .nullish()
      .describe(
        "The only domain that the new key may send from. A key of one domain makes keys of that domain only, also without this.",
      ),
  }),
  status: 201,
  response: z
    .object({
      id: z.string(),
      secret: z.string().describe("`svc_live_…`: only its hash is stored."),
    })
    .meta({ example: { id: exampleId("apiKey"), secret: "svc_live_…" } }),
})

export const listApiKeys = endpoint({
  name: "apiKeys.list",
  call: "GET /api-keys",
  access: "full",
  tag,
  summary: "List the live keys, newest first",
  query: pageQuery,
  response: pageOf(apiKey),
})

export const revokeApiKey = endpoint({
  name: "apiKeys.revoke",
  call: "DELETE /api-keys/:id",
  access: "full",
  tag,
  summary: "Revoke a key at once and for good",
  description:
    "There is no rotation: create a second key, deploy it, wait until the old one's `lastUsedAt` stands still, then revoke the old one. Emails that it sent are untouched.",
})
