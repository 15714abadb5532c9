import { and, eq, exists, isNull, not, or, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import { mapLimit } from "../../lib/chunk.ts"
import { inRounds } from "../../lib/rounds.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { commit, type Statement } from "../platform/db/commit.ts"
import { DIRECTORY, databaseNumber } from "../platform/db/databases.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import { isDueBy } from "../platform/queues/due-work.ts"
import { ALWAYS, auditEntry } from "../teams/audit/entry.ts"
import { FENCED_TEAMS } from "../teams/moving/fenced.ts"
import { keepNotices } from "../teams/notices/keep.ts"
import { newEvent, storeEvents } from "../webhooks/events/store.ts"
import { reserveName, storeClaims } from "./claims.ts"
import {
  type CompetingClaims,
  isClaim,
  isTaken,
  mayVerify,
  readCompetingClaims,
} from "./competing-claims.ts"
import { domain as domainShape } from "./contract.ts"
import { domainTaken, getDomain, publishRecords, refuseTaken } from "./domains.ts"
import {
  checkIdentity,
  createIdentity,
  isMissing,
  isOfEarlierProvider,
  reasonOf,
} from "./identity.ts"
import { isDomain } from "./own-domain.ts"
import { isProof } from "./proof.ts"
import { type DomainRow, domains } from "./table.ts"
import { afterCheck, freshWindow, LONGEST_CHECK_WAIT_MS } from "./transition.ts"

/** Longer than a check takes. No other check of the domain starts before. */
const LEASE_MS = 120_000
const CHECKS_AT_ONCE = 3
/** A round ends well within the lease, also if each call to the provider takes its longest. */
const ROUNDS = { rounds: 17, size: 3 * CHECKS_AT_ONCE }

/** Checks a domain at once. A failed one gets a fresh window first. */
export async function verifyDomain(ctx: Ctx, id: string): Promise<DomainRow> {
  const domain = await getDomain(ctx, id)
  if (domain.status === "failed") await revive(ctx, domain)
  const claimed = await claim(ctx, isDomain(ctx, id) as SQL)
  await checkDomains(ctx, claimed, [await auditEntry(ctx, "domains.verify", { id }, ALWAYS)])
  if (domain.routingCheckAt !== null) {
    const { checkRouting } = await import("./routing/check.ts")
    await checkRouting(ctx, isDomain(ctx, id) as SQL)
  }
  return getDomain(ctx, id)
}

/** Checks the domains that are due. Teams take turns; a team's new domains come first. */
export const sweepDomains = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const due = work.db
      .select({ teamId: domains.teamId, id: domains.id })
      .from(domains)
      .where(
        and(
          isDueBy(domains.checkAt, work.now(), LONGEST_CHECK_WAIT_MS),
          isFree(work),
          sql`${domains.teamId} not in (${FENCED_TEAMS})`,
        ),
      )
      .orderBy(
        sql`row_number() over (partition by ${domains.teamId}
          order by ${domains.checkAt} > ${domains.windowStartedAt}, ${domains.checkAt})`,
        domains.checkAt,
      )
      .limit(size)
    const claimed = await claim(work, sql`(${domains.teamId}, ${domains.id}) in ${due}`)
    await checkDomains(work, claimed)
    return claimed
  })

async function revive(ctx: Ctx, domain: DomainRow): Promise<void> {
  const { id, name } = domain
  const competing = await refuseTaken(ctx, domain)
  const identity = await createIdentity(ctx, domain, competing)
  const [revived] = await ctx.db
    .update(domains)
    .set({ ...freshWindow(ctx.now()), ...identity })
    .where(and(isDomain(ctx, id), eq(domains.status, "failed"), not(isTaken(domain))))
    .returning()
  if (revived) await storeClaims(ctx, [revived])
  if (revived) await publishRecords(ctx, revived, competing)
  else if ((await getDomain(ctx, id)).status === "failed") throw domainTaken(name)
}

/** One check of a domain at a time. */
const claim = (work: Work, which: SQL) =>
  work.db
    .update(domains)
    .set({ checkingUntil: work.now() + LEASE_MS })
    .where(and(which, isClaim, isFree(work)))
    .returning()

const isFree = (work: Work) =>
  or(isNull(domains.checkingUntil), isDueBy(domains.checkingUntil, work.now(), LEASE_MS))

async function checkDomains(
  work: Work,
  claimed: readonly DomainRow[],
  audit: Statement[] = [],
): Promise<void> {
  const competing = await readCompetingClaims(work, claimed)
  const results = await mapLimit([...claimed.entries()], CHECKS_AT_ONCE, ([index, row]) =>
    checkDomain(work, row, competing[index] as CompetingClaims),
  )
  if (results.length === 0) return
  for (const result of results) {
    if (result.wins) result.hasName = await reserveName(work, { ...result.row, ...result.change })
  }
  await commit(work, { results: results.flatMap((result) => recordResult(work, result)), audit })
  await storeClaims(work, await readStates(work, results))
  await checkLosers(work, results)
}

/** After the commit, since a result has no effect where another process was faster. */
async function readStates(work: Work, results: readonly Result[]): Promise<DomainRow[]> {
  if (databaseNumber(work.env) === DIRECTORY) return []
  const ids = results.map(({ row }) => row.id)
  return work.db.select().from(domains).where(isOneOf(domains.id, ids))
}

type Result = Awaited<ReturnType<typeof checkDomain>>

async function checkDomain(work: Work, row: DomainRow, competing: CompetingClaims) {
  const { check, ...identity } = await readIdentity(work, row, competing)
  const { state, event } = afterCheck(row, check, work.now())
  const changed: DomainRow = { ...row, ...state, ...identity }
  return {
    row,
    change: { ...state, ...identity },
    event: event && newEvent(work, row.teamId, event, { domain: z.encode(domainShape, changed) }),
    /** Becomes verified, unless another team is faster. */
    wins: row.status !== "verified" && state.status === "verified",
    /** The directory has reserved the name for the team. */
    hasName: true,
  }
}

/** A domain that the present provider does not have is added there, and then has to be verified. */
async function readIdentity(work: Work, row: DomainRow, competing: CompetingClaims) {
  let stateOnError: "unknown" | "pending" = "unknown"
  try {
    if (competing.isLost || !isOfEarlierProvider(work, row)) {
      const checked = await checkIdentity(work, row, competing)
      const { provider, region } = row
      if (!isMissing(checked.check)) return { provider, region, ...checked }
      stateOnError = "pending"
    }
    const added = { ...row, ...(await createIdentity(work, row, competing)) }
    await publishRecords(work, added, competing)
    const { provider, region } = added
    return { provider, region, ...(await checkIdentity(work, added, competing)) }
  } catch (error) {
    const { provider, region, records } = row
    const check = { state: stateOnError, reason: reasonOf(error, row) }
    return { provider, region, records, check }
  }
}

/** If another team was faster, only the second update has an effect: it ends the lease. */
function recordResult(work: Work, { row, change, event, wins, hasName }: Result): Statement[] {
  const isClaimed = and(
    eq(domains.teamId, row.teamId),
    eq(domains.id, row.id),
    eq(domains.checkingUntil, row.checkingUntil as number),
  )
  const holds = wins
    ? and(isClaimed, hasName ? mayVerify(row, change.records.some(isProof)) : sql`false`)
    : isClaimed
  const condition = exists(work.db.select({ id: domains.id }).from(domains).where(holds))
  const isDemoted = row.status === "verified" && change.status !== "verified"
  const notice = { teamId: row.teamId, about: { id: row.id, name: row.name } }
  return [
    ...storeEvents(work, event ? [event] : [], condition),
    ...(isDemoted ? [keepNotices(work, "domain_demoted", [notice], condition)] : []),
    work.db.update(domains).set(change).where(holds),
    work.db.update(domains).set({ checkingUntil: null, checkAt: work.now() }).where(isClaimed),
  ]
}

/** Checks the other teams' pending domains of a verified name at once: they fail. */
async function checkLosers(work: Work, results: readonly Result[]): Promise<void> {
  const names = results.filter(({ wins }) => wins).map(({ row }) => row.name)
  if (names.length === 0) return
  await checkDomains(
    work,
    await claim(work, sql`${isOneOf(domains.name, names)} and ${domains.status} = 'pending'`),
  )
}
