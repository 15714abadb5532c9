import { and, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm"
import { mapLimit } from "../../../lib/chunk.ts"
import { logError } from "../../../lib/log.ts"
import { inRounds } from "../../../lib/rounds.ts"
import { CLOCKS_APART_MS, DAY_MS, MINUTE_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { isDueBy } from "../../platform/queues/due-work.ts"
import { RoutingFault } from "../../providers/cloudflare/email-routing.ts"
import { createProviders } from "../../providers/create-provider.ts"
import { inboxes } from "../../received/table.ts"
import { NOT_RECEIVING, type Receiving } from "../contract.ts"
import { type DomainRow, domains, type FoundRouting } from "../table.ts"
import { leadMail, restoreRouting } from "./lead.ts"

/** Longer than a check takes. */
const LEASE_MS = 3 * MINUTE_MS
const AGAIN_AFTER_MS = 2 * MINUTE_MS
const RECHECK_AFTER_MS = DAY_MS
const CHECKS_AT_ONCE = 3
const ROUNDS = { rounds: 3, size: 3 * CHECKS_AT_ONCE }

/** Checks the domains whose mail Email Routing leads here, or led here until they were turned off. */
export const sweepRouting = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const due = work.db
      .select({ teamId: domains.teamId, id: domains.id })
      .from(domains)
      .where(
        and(
          isDueBy(domains.routingCheckAt, work.now(), RECHECK_AFTER_MS + CLOCKS_APART_MS),
          isFree(work),
        ),
      )
      .orderBy(
        sql`row_number() over (partition by ${domains.teamId} order by ${domains.routingCheckAt})`,
        domains.routingCheckAt,
      )
      .limit(size)
    return checkRouting(work, sql`(${domains.teamId}, ${domains.id}) in ${due}`)
  })

/** Checks the routing of these domains at once, if it is in use and no other check of it goes on. */
export async function checkRouting(work: Work, which: SQL): Promise<DomainRow[]> {
  const claimed = await work.db
    .update(domains)
    .set({ routingUntil: work.now() + LEASE_MS })
    .where(and(which, isNotNull(domains.routingCheckAt), isFree(work)))
    .returning()
  await mapLimit(claimed, CHECKS_AT_ONCE, async (row) => record(work, row, await check(work, row)))
  return claimed
}

const isFree = (work: Work) =>
  or(isNull(domains.routingUntil), isDueBy(domains.routingUntil, work.now(), LEASE_MS))

const isLeased = ({ teamId, id, routingUntil }: DomainRow) =>
  and(
    eq(domains.teamId, teamId),
    eq(domains.id, id),
    eq(domains.routingUntil, routingUntil as number),
  )

type Change = Partial<Pick<DomainRow, "receiving" | "routing" | "routingCheckAt">>

/** Of a domain that was changed meanwhile, only the lease ends: its next check is due. */
async function record(work: Work, row: DomainRow, change: Change): Promise<void> {
  const isUnchanged = and(
    eq(domains.routingCheckAt, row.routingCheckAt as number),
    sql`${domains.receiving} ->> 'mode' = ${row.receiving.mode}`,
  )
  await work.db.batch([
    work.db
      .update(domains)
      .set(change)
      .where(and(isLeased(row), isUnchanged)),
    work.db.update(domains).set({ routingUntil: null }).where(isLeased(row)),
  ])
}

async function check(work: Work, row: DomainRow): Promise<Change> {
  const { receiving } = row
  const isWanted = receiving.mode === "routing"
  try {
    if (!isWanted) {
      await stopRouting(work, row)
      const status = receiving.mode === "off" ? "off" : "active"
      return {
        receiving: { ...NOT_RECEIVING, mode: receiving.mode, status },
        routing: null,
        routingCheckAt: null,
      }
    }
    const { records, fault } = isSimulated(work) ? NOTHING_TO_DO : await lead(work, row)
    return outcome(work, { ...receiving, records }, fault)
  } catch (error) {
    if (!(error instanceof RoutingFault)) logError(error, { domain: row.id })
    const fault =
      error instanceof RoutingFault
        ? error
        : new RoutingFault("The check did not come to its end.", { mayPass: true })
    return outcome(work, receiving, fault)
  }
}

const NOTHING_TO_DO = { records: [], fault: null }

/** With the sandbox, nothing leaves the machine. */
export const isSimulated = (work: Work) =>
  createProviders(work).every(({ identities }) => identities?.simulated)

function outcome(work: Work, receiving: Receiving, fault: RoutingFault | null): Change {
  const isWaiting = fault?.mayPass === true
  const status = !fault
    ? "active"
    : !isWaiting
      ? "failed"
      : receiving.status === "active"
        ? "active"
        : "pending"
  return {
    receiving: { ...receiving, status, lastError: fault?.message ?? null },
    routingCheckAt: work.now() + (isWaiting ? AGAIN_AFTER_MS : RECHECK_AFTER_MS),
  }
}

async function lead(work: Work, row: DomainRow) {
  const { teamId, id, name, routing } = row
  const found = await work.db
    .select({ address: inboxes.address })
    .from(inboxes)
    .where(and(eq(inboxes.teamId, teamId), eq(inboxes.domainId, id), isNull(inboxes.deletedAt)))
  const addresses = found.map(({ address }) => address)
  return leadMail(work, { name, addresses, found: routing }, (found) => keep(work, row, found))
}

async function keep(work: Work, row: DomainRow, routing: FoundRouting): Promise<void> {
  const [kept] = await work.db
    .update(domains)
    .set({ routing })
    .where(isLeased(row))
    .returning({ id: domains.id })
  if (!kept) throw new RoutingFault("The domain was changed meanwhile.", { mayPass: true })
}

/** Puts back what Email Routing had, unless another domain of the name is led here, too. */
export async function stopRouting(
  work: Work,
  { id, name, routing }: Pick<DomainRow, "id" | "name" | "routing">,
): Promise<void> {
  if (!routing) return
  const below = `.${name}`
  const others = await work.db
    .select({ name: domains.name })
    .from(domains)
    .where(
      and(
        isNotNull(domains.routingCheckAt),
        isNotNull(domains.routing),
        sql`${domains.id} <> ${id}`,
        sql`(${domains.name} = ${name} or substr(${domains.name}, ${-below.length}) = ${below})`,
      ),
    )
  if (others.some((other) => other.name === name)) return
  await restoreRouting(work, { name, found: routing, isUsedBelow: others.length > 0 })
}
