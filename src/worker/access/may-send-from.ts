import { and, type Column, eq, or, type SQL, sql } from "drizzle-orm"
import { domainAndParents, domainOf, findAddress } from "../../lib/address.ts"
import { domains } from "../domains/table.ts"
import type { Ctx } from "../platform/context.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import { otherDomain } from "../platform/http/errors.ts"

/** A key that is restricted to one domain makes no other one send. */
export async function assertMaySendFrom(ctx: Ctx, domainId: string): Promise<void> {
  const { key } = await ctx.caller()
  if (key?.domainId && key.domainId !== domainId) throw otherDomain()
}

/** The same for a sender whose domain is looked up when its mail is sent, such as that of a book. */
export async function assertMaySendAs(ctx: Ctx, sender: string | null): Promise<void> {
  const { key } = await ctx.caller()
  if (!key?.domainId || sender === null) return
  const names = domainAndParents(domainOf(findAddress(sender) ?? ""))
  const [[domain]] = await ctx.batch([
    ctx.db
      .select({ id: domains.id })
      .from(domains)
      .where(
        and(
          eq(domains.teamId, ctx.team),
          isOneOf(domains.name, names),
          or(eq(domains.status, "verified"), eq(domains.id, key.domainId)),
        ),
      )
      .orderBy(sql`length(${domains.name}) desc`)
      .limit(1),
  ])
  if (domain?.id !== key.domainId) throw otherDomain()
}

/** The same as a condition of the statement that sends. `domainId` is the column of the domain. */
export async function isDomainOfKey(ctx: Ctx, domainId: Column): Promise<SQL | undefined> {
  const { key } = await ctx.caller()
  return key?.domainId ? eq(domainId, key.domainId) : undefined
}
