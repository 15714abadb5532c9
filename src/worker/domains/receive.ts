import { and, eq, type SQL } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { ApiError, conflict } from "../platform/http/errors.ts"
import { RoutingFault } from "../providers/cloudflare/email-routing.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { NOT_RECEIVING, type Receiving } from "./contract.ts"
import { getDomain } from "./domains.ts"
import { isDomain } from "./own-domain.ts"
import type { RECEIVING_MODES } from "./receiving-modes.ts"
import { checkRouting, isSimulated } from "./routing/check.ts"
import { ForeignServers, findWay } from "./routing/lead.ts"
import { type DomainRow, domains } from "./table.ts"

/** Only the owner of a name may take its mail. */
export async function updateDomain(
  ctx: Ctx,
  id: string,
  { receiving: mode }: { receiving: (typeof RECEIVING_MODES)[number] },
): Promise<DomainRow> {
  const domain = await getDomain(ctx, id)
  if (mode === domain.receiving.mode) return domain
  if (domain.status !== "verified" && mode !== "off") throw notVerified()
  if (mode === "routing") await refuseFault(ctx, domain)
  const usesRouting = mode === "routing" || domain.routingCheckAt !== null
  const { updated } = await commit(ctx, {
    updated: ctx.db
      .update(domains)
      .set({
        receiving: { ...NOT_RECEIVING, mode, status: firstStatus(mode, usesRouting) },
        ...(usesRouting && { routingCheckAt: ctx.now() }),
      })
      .where(and(isDomain(ctx, id), mode === "off" ? undefined : eq(domains.status, "verified")))
      .returning(),
    audit: await auditEntry(ctx, "domains.update", { id }),
  })
  if (!updated[0]) throw notVerified()
  if (!usesRouting) return updated[0]
  await checkRouting(ctx, isDomain(ctx, id) as SQL)
  return getDomain(ctx, id)
}

const notVerified = () => conflict("The domain is not verified.")

function firstStatus(mode: Receiving["mode"], usesRouting: boolean): Receiving["status"] {
  if (mode === "forward") return "active"
  return usesRouting ? "pending" : "off"
}

/** A fault that may pass does not stand in the way: the checks go on. */
async function refuseFault(ctx: Ctx, { name }: DomainRow): Promise<void> {
  if (isSimulated(ctx)) return
  try {
    await findWay(ctx, name)
  } catch (error) {
    if (!(error instanceof RoutingFault)) throw error
    const details = error instanceof ForeignServers ? { mx: error.mx } : undefined
    if (!error.mayPass) throw new ApiError("conflict", error.message, details)
  }
}
