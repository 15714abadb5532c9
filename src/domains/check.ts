import { and, eq, exists, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Query } from "../db/client.ts"
import type { Ctx, Work } from "../env.ts"
import { mapLimit } from "../lib/chunk.ts"
import { newId } from "../lib/id.ts"
import { inRounds } from "../lib/rounds.ts"
import { announceEvents, storeEvents, type TeamEvent } from "../webhooks/events.ts"
import { domain as domainShape } from "./contract.ts"
import { getDomain, isDomain, publishRecords, refuseTaken, taken } from "./domains.ts"
import { checkIdentity, createIdentity } from "./identity.ts"
import { type DomainRow, domains } from "./table.ts"
import { afterCheck, freshWindow } from "./transition.ts"

/** Longer than a check takes: nobody else begins one of the same domain before. */
const LEASE_MS = 120_000
const ROUNDS = { rounds: 3, size: 50 }
const CHECKS_AT_ONCE = 3

/** Checks a domain at once; a failed one gets a fresh window first. */
export async function verifyDomain(ctx: Ctx, id: string): Promise<DomainRow> {
  const domain = await getDomain(ctx, id)
  if (domain.status === "failed") await revive(ctx, domain)
  const claimed = await claim(ctx, isDomain(ctx, id) as SQL)
  await checkDomains(ctx, claimed)
  return getDomain(ctx, id)
}

/** Checks the domains whose time has come: the teams take turns, each with its new ones first. */
export const sweepDomains = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const due = work.db
      .select({ teamId: domains.teamId, id: domains.id })
      .from(domains)
      .where(and(lte(domains.checkAt, work.now()), isFree(work)))
      .orderBy(
        sql`row_number() over (partition by team_id order by check_at > window_started_at, check_at)`,
        domains.checkAt,
      )
      .limit(size)
    const claimed = await claim(work, sql`(team_id, id) in ${due}`)
    await checkDomains(work, claimed)
    return claimed.length
  })

async function revive(ctx: Ctx, domain: DomainRow): Promise<void> {
  const { id, name } = domain
  await refuseTaken(ctx, name)
  const records = await createIdentity(ctx, name)
  const [revived] = await ctx.db
    .update(domains)
    .set({ ...freshWindow(ctx.now()), records })
    .where(
      and(
        isDomain(ctx, id),
        eq(domains.status, "failed"),
        sql`not exists (select 1 from domains other
          where other.name = ${name} and other.status in ('pending', 'verified'))`,
      ),
    )
    .returning()
  if (revived) await publishRecords(ctx, revived)
  else if ((await getDomain(ctx, id)).status === "failed") throw taken(name)
}

/** One check of a domain at a time. */
const claim = (work: Work, which: SQL) =>
  work.db
    .update(domains)
    .set({ checkingUntil: work.now() + LEASE_MS })
    .where(and(which, inArray(domains.status, ["pending", "verified"]), isFree(work)))
    .returning()

const isFree = (work: Work) =>
  or(isNull(domains.checkingUntil), lte(domains.checkingUntil, work.now()))

async function checkDomains(work: Work, claimed: readonly DomainRow[]): Promise<void> {
  const results = await mapLimit(claimed, CHECKS_AT_ONCE, async (row) => {
    const { check, records } = await checkIdentity(work, row)
    const { state, event } = afterCheck(row, check, work.now())
    const changed: DomainRow = { ...row, ...state, records }
    return { row, change: { ...state, records }, event: event && toEvent(work, changed, event) }
  })
  const events = results.flatMap(({ event }) => event ?? [])
  const [first, ...more]: Query[] = results.flatMap(({ row, change, event }) => {
    const isClaimed = and(
      eq(domains.teamId, row.teamId),
      eq(domains.id, row.id),
      eq(domains.checkingUntil, row.checkingUntil as number),
    )
    const claimed = exists(work.db.select({ id: domains.id }).from(domains).where(isClaimed))
    return [
      ...storeEvents(work, event ? [event] : [], claimed),
      work.db.update(domains).set(change).where(isClaimed),
    ]
  })
  if (!first) return
  await work.db.batch([first, ...more])
  await announceEvents(work, events)
}

const toEvent = (work: Work, row: DomainRow, type: TeamEvent["type"]): TeamEvent => ({
  id: newId("event", work.now()),
  teamId: row.teamId,
  type,
  createdAt: work.now(),
  data: { domain: z.encode(domainShape, row) },
})
