import type { Hono } from "hono"
import * as z from "zod"
import * as contract from "../access/keys/contract.ts"
import { createApiKey, listApiKeys, revokeApiKey } from "../access/keys/keys.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import { listQuery, toList, toPageQuery } from "./lists.ts"
import { members, serve, serveRemoval, shown, toJson } from "./route.ts"

const PERMISSIONS = { full_access: "full", sending_access: "sending_only" } as const

const keyMembers = members("name", "domain_id").extend({
  permission: z
    .enum(Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[])
    .default("full_access"),
})

export function apiKeyRoutes(app: Hono<HttpEnv>): void {
  const { createApiKey: create, listApiKeys: list, revokeApiKey: revoke } = contract
  serve(app, "POST /api-keys", create, { body: keyMembers }, async (ctx, { body }) => {
    const { name, permission, domain_id } = body
    const input = { name, permission: PERMISSIONS[permission], domainId: domain_id }
    const { id, secret } = await createApiKey(ctx, toJson(create, input))
    return { id, token: secret }
  })
  serve(app, "GET /api-keys", list, { query: listQuery }, async (ctx, { query }) =>
    toList(shown(list, await listApiKeys(ctx, toPageQuery(query))), (key) => ({
      id: key.id,
      name: key.name,
      created_at: key.createdAt,
      last_used_at: key.lastUsedAt,
    })),
  )
  serveRemoval(app, "/api-keys/:id", revoke, "api_key", revokeApiKey)
}
