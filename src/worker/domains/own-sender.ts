import { and, asc, eq } from "drizzle-orm"
import type { Mailbox } from "../../lib/address.ts"
import type { Work } from "../platform/context.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import { domains } from "./table.ts"

/**
 * The sender of the service's own mail without `SYSTEM_FROM`: at the oldest verified domain of these
 * teams, so that the address stays the same when domains are added. Null without one.
 */
export async function ownSender(work: Work, teamIds: readonly string[]): Promise<Mailbox | null> {
  const [domain] = await work.db
    .select({ name: domains.name })
    .from(domains)
    .where(and(isOneOf(domains.teamId, teamIds), eq(domains.status, "verified")))
    .orderBy(asc(domains.id))
    .limit(1)
  return domain ? { name: "Edgepost", address: `no-reply@${domain.name}` } : null
}
