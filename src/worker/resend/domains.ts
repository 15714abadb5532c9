import type { Hono } from "hono"
import * as z from "zod"
import { verifyDomain } from "../domains/check.ts"
import * as contract from "../domains/contract.ts"
import { createDomain, deleteDomain, getDomain, listDomains } from "../domains/domains.ts"
import type { Ctx } from "../platform/context.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import { createProvider } from "../providers/create-provider.ts"
import { toResendDomain, type Wire } from "../webhooks/resend-records.ts"
import { ResendError, unsupported } from "./errors.ts"
import { listQuery, toList, toPageQuery } from "./lists.ts"
import { members, serve, serveRemoval, shown, toJson } from "./route.ts"

const domainMembers = members("name", "tracking_subdomain").extend({
  region: z.string().optional(),
  custom_return_path: z.string().optional(),
  open_tracking: z.boolean().optional(),
  click_tracking: z.boolean().optional(),
  tls: z.enum(["enforced", "opportunistic"]).optional(),
  capabilities: z
    .object({ sending: z.string().optional(), receiving: z.string().optional() })
    .optional(),
})
type DomainMembers = z.output<typeof domainMembers>

export function domainRoutes(app: Hono<HttpEnv>): void {
  const { createDomain: create, listDomains: list, getDomain: get } = contract
  serve(app, "POST /domains", create, { body: domainMembers }, async (ctx, { body }) => {
    refuseOptions(ctx, body)
    const domain = await createDomain(ctx, toJson(create, { name: body.name }))
    return toDomain(shown(create, domain))
  })
  serve(app, "GET /domains", list, { query: listQuery }, async (ctx, { query }) =>
    toList(shown(list, await listDomains(ctx, toPageQuery(query))), (domain) => {
      const { records: _, ...listed } = toDomain(domain)
      return listed
    }),
  )
  serve(app, "GET /domains/:id", get, {}, async (ctx, { params }) => ({
    object: "domain",
    ...toDomain(shown(get, await getDomain(ctx, params.id!))),
  }))
  serve(app, "POST /domains/:id/verify", contract.verifyDomain, {}, async (ctx, { params }) => {
    const { id } = await verifyDomain(ctx, params.id!)
    return { object: "domain", id }
  })
  const { deleteDomain: remove } = contract
  serveRemoval(app, "/domains/:id", remove, "domain", deleteDomain)
}

const toDomain = (domain: Wire<typeof contract.domain>) => ({
  ...toResendDomain(domain),
  capabilities: {
    sending: "enabled",
    receiving: domain.receiving.status === "active" ? "enabled" : "disabled",
  },
})

/** Refuses options that Edgepost does not have. Options with its own values pass. */
function refuseOptions(ctx: Ctx, options: DomainMembers): void {
  const own = createProvider(ctx).identities?.region
  if (options.region !== undefined && own && options.region !== own) {
    throw new ResendError(422, "invalid_region", `This installation sends from ${own} only.`)
  }
  if (options.custom_return_path !== undefined && options.custom_return_path !== "bounce") {
    throw unsupported("custom_return_path", "The return path is `bounce`.")
  }
  if (options.tls === "enforced") {
    throw unsupported("tls", "The provider decides: TLS is used where the receiver offers TLS.")
  }
  if (options.open_tracking || options.click_tracking) {
    const member = options.open_tracking ? "open_tracking" : "click_tracking"
    throw unsupported(member, "Tracking is a setting of the team.")
  }
  if (options.tracking_subdomain !== undefined) {
    throw unsupported("tracking_subdomain", "Tracked links lead to the installation.")
  }
  if (options.capabilities?.receiving === "enabled") {
    throw unsupported(
      "capabilities.receiving",
      "Turn it on with PATCH /api/v1/domains/:id {receiving}.",
    )
  }
}
