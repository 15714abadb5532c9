import { and, desc, eq, lt, sql } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import { conflict, notFound } from "../http/errors.ts"
import { type Page, type PageQuery, readCursor, toPage } from "../http/page.ts"
import { also } from "../http/route.ts"
import { newId } from "../lib/id.ts"
import { openProvider } from "../providers/provider.ts"
import { removeDnsRecords, writeDnsRecords } from "./auto-dns.ts"
import type { Domain } from "./contract.ts"
import { createIdentity, removeIdentity } from "./identity.ts"
import { type DomainRow, domains } from "./table.ts"
import { freshWindow } from "./transition.ts"

/** A domain enters pending, with the records that prove it; the sweep checks it within a minute. */
export async function createDomain(ctx: Ctx, { name }: { name: string }): Promise<Domain> {
  const { team } = await ctx.caller()
  await refuseTaken(ctx, name)
  const records = await createIdentity(ctx, name)
  const provider = openProvider(ctx)
  const now = ctx.now()
  const [row] = await ctx.db
    .insert(domains)
    .values({
      ...freshWindow(now),
      id: newId("domain", now),
      teamId: team.id,
      name,
      records,
      provider: provider.name,
      region: provider.identities?.region ?? null,
      createdAt: now,
    })
    .onConflictDoNothing()
    .returning()
  if (!row) throw taken(name)
  return publishRecords(ctx, row)
}

export async function listDomains(ctx: Ctx, query: PageQuery): Promise<Page<Domain>> {
  const below = readCursor("domain", query.cursor)
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(domains)
      .where(and(eq(domains.teamId, ctx.team), below ? lt(domains.id, below) : undefined))
      .orderBy(desc(domains.id))
      .limit(query.limit + 1),
  ])
  return toPage(rows, query.limit)
}

export async function getDomain(ctx: Ctx, id: string): Promise<DomainRow> {
  const [[row]] = await ctx.batch([ctx.db.select().from(domains).where(isDomain(ctx, id))])
  if (!row) throw notFound("Domain")
  return row
}

export async function isOwnDomain(ctx: Ctx, id: string): Promise<boolean> {
  const [rows] = await ctx.batch([
    ctx.db.select({ id: domains.id }).from(domains).where(isDomain(ctx, id)),
  ])
  return rows.length > 0
}

/** A failed domain's name may be another team's by now: then only our record of it goes. */
export async function deleteDomain(ctx: Ctx, id: string) {
  const domain = await getDomain(ctx, id)
  const [other] = await selectTaken(ctx, domain.name)
  if (!other || other.id === id) await removeIdentity(ctx, domain.name)
  const leftoverDnsRecords = await removeDnsRecords(ctx.settings, domain)
  await ctx.db.delete(domains).where(isDomain(ctx, id))
  return leftoverDnsRecords > 0 ? also(200, { leftoverDnsRecords }) : undefined
}

export const isDomain = (ctx: Ctx, id: string) =>
  and(eq(domains.teamId, ctx.team), eq(domains.id, id))

export const taken = (name: string) => conflict(`The domain '${name}' is taken.`)

export async function refuseTaken(ctx: Ctx, name: string): Promise<void> {
  if ((await selectTaken(ctx, name)).length > 0) throw taken(name)
}

/** The row that has a name, of whatever team; the literal statuses are the index's own. */
const selectTaken = (ctx: Ctx, name: string) =>
  ctx.db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.name, name), sql`${domains.status} in ('pending', 'verified')`))

/** Writes the records into DNS where that is the service's to do. */
export async function publishRecords(ctx: Ctx, domain: DomainRow): Promise<DomainRow> {
  const written = await writeDnsRecords(ctx.settings, domain.name, domain.records)
  if (!written) return domain
  const [row] = await ctx.db
    .update(domains)
    .set({ dnsMode: "auto", writtenRecords: [...domain.writtenRecords, ...written] })
    .where(isDomain(ctx, domain.id))
    .returning()
  return row ?? domain
}
