import { and, eq, isNotNull, isNull, ne, or, type SQL, sql } from "drizzle-orm"
import { mapLimit } from "../../lib/chunk.ts"
import { lookUpRecords } from "../../lib/dns-records.ts"
import { inRounds } from "../../lib/rounds.ts"
import { CLOCKS_APART_MS, MINUTE_MS } from "../../lib/time.ts"
import type { Work } from "../platform/context.ts"
import { isDueBy } from "../platform/queues/due-work.ts"
import { createNextProviders } from "../providers/create-provider.ts"
import type { IdentityCheck } from "../providers/provider.ts"
import { isClaim } from "./competing-claims.ts"
import { keepWritten, writeDnsRecords } from "./dns/auto-dns.ts"
import { firstUnverified, isMissing, reasonOf } from "./identity.ts"
import { checkProof, isProof, proofRecord } from "./proof.ts"
import { type DomainRow, domains, type NextIdentity } from "./table.ts"

const CHECK_EVERY_MS = 2 * MINUTE_MS
const ROUNDS = { rounds: 3, size: 20 }
const CHECKS_AT_ONCE = 3

/**
 * While `NEXT_PROVIDER` is set, proves every domain to that provider, too, beside the one that sends.
 * Once it is `PROVIDER`, its records become those of the domain: the domain stays verified.
 */
export async function sweepNextProvider(work: Work): Promise<void> {
  const { PROVIDER, NEXT_PROVIDER } = work.settings
  const next = NEXT_PROVIDER === PROVIDER ? undefined : NEXT_PROVIDER
  await work.db.batch([moveTo(work, PROVIDER), forgetOthers(work, next)])
  if (next === undefined) return
  await inRounds(ROUNDS, async (size) => {
    const due = work.db
      .select({ teamId: domains.teamId, id: domains.id })
      .from(domains)
      .where(and(isClaim, or(isNull(domains.nextProvider), isDue(work))))
      .orderBy(
        sql`row_number() over (partition by ${domains.teamId} order by ${domains.nextCheckAt})`,
        domains.nextCheckAt,
      )
      .limit(size)
    const claimed = await work.db
      .update(domains)
      .set({ nextProvider: next, nextCheckAt: work.now() + CHECK_EVERY_MS })
      .where(sql`(${domains.teamId}, ${domains.id}) in ${due}`)
      .returning()
    await mapLimit(claimed, CHECKS_AT_ONCE, (row) => prove(work, row))
    return claimed
  })
}

const NOTHING = { next: null, nextProvider: null, nextCheckAt: null }

const moveTo = (work: Work, provider: string) =>
  work.db
    .update(domains)
    .set({
      ...NOTHING,
      provider,
      // A check under way has asked the provider before.
      checkingUntil: null,
      region: sql`${domains.next} ->> 'region'`,
      records: sql`${domains.next} -> 'records'`,
    })
    .where(and(eq(domains.nextProvider, provider), isNotNull(domains.next)))

/** For domains whose next provider is no longer the setting's. */
const forgetOthers = (work: Work, next: string | undefined) =>
  work.db
    .update(domains)
    .set(NOTHING)
    .where(
      and(
        isNotNull(domains.nextProvider),
        next === undefined ? undefined : ne(domains.nextProvider, next),
      ),
    )

/** A domain that the next provider has verified is not checked again before the switch. */
const isDue = (work: Work): SQL =>
  and(
    isDueBy(domains.nextCheckAt, work.now(), CHECK_EVERY_MS + CLOCKS_APART_MS),
    sql`${domains.next} ->> 'verifiedAt' is null`,
  ) as SQL

async function prove(work: Work, row: DomainRow): Promise<void> {
  const provider = row.nextProvider as string
  try {
    const isCreated = row.next !== null && row.next.records.length > 0
    const known = isCreated ? (row.next as NextIdentity) : await create(work, row)
    if (!isCreated) await publish(work, row, known)
    const { check, records } = await checkNext(work, row, known)
    const isVerified = check.state === "verified"
    await save(work, row, {
      ...known,
      // The next check of a domain without records adds it again.
      records: isMissing(check) ? [] : records,
      verifiedAt: isVerified ? work.now() : null,
      lastError: isVerified ? null : check.reason,
    })
  } catch (error) {
    const known = row.next ?? { provider, region: null, records: [], verifiedAt: null }
    await save(work, row, { ...known, lastError: reasonOf(error, row) })
  }
}

/**
 * Writes nothing if the setting, and with it the row's provider, has changed meanwhile, or if another
 * process has begun a check.
 */
const save = (work: Work, row: DomainRow, next: NextIdentity) =>
  work.db
    .update(domains)
    .set({ next })
    .where(
      and(
        eq(domains.teamId, row.teamId),
        eq(domains.id, row.id),
        eq(domains.nextProvider, row.nextProvider as string),
        eq(domains.nextCheckAt, row.nextCheckAt as number),
      ),
    )

async function create(work: Work, row: DomainRow): Promise<NextIdentity> {
  const records = []
  let region: string | null = null
  for (const { identities } of createNextProviders(work)) {
    if (!identities) records.push(proofRecord(row))
    else {
      region ??= identities.region
      const wanted = await identities.create(row.name)
      records.push(...wanted.map((record) => ({ ...record, ok: false })))
    }
  }
  const hasDmarc = records.some(({ kind }) => kind === "DMARC")
  const dmarc = hasDmarc ? [] : row.records.filter(({ kind }) => kind === "DMARC")
  return {
    provider: row.nextProvider as string,
    region,
    records: [...records, ...dmarc],
    verifiedAt: null,
    lastError: null,
  }
}

/** Records of both providers stand in the zone side by side. */
async function publish(work: Work, row: DomainRow, { records }: NextIdentity): Promise<void> {
  if (row.dnsMode !== "auto") return
  const written = (await writeDnsRecords(work.settings, row.name, records)) ?? []
  if (written.length === 0) return
  await keepWritten(work, row, written)
}

async function checkNext(work: Work, row: DomainRow, { records }: NextIdentity) {
  const checks: IdentityCheck[] = []
  for (const { identities } of createNextProviders(work)) {
    const proof = records.find(isProof) ?? proofRecord(row)
    checks.push(
      identities ? await identities.check(row.name) : await checkProof(work.settings, proof),
    )
  }
  const unverified = firstUnverified(checks)
  return {
    check: unverified ?? ({ state: "verified" } as const),
    records: await lookUpRecords(work.settings, records),
  }
}
