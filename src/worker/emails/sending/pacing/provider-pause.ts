import { eq, sql } from "drizzle-orm"
import { HOUR_MS, SECOND_MS } from "../../../../lib/time.ts"
import type { Work } from "../../../platform/context.ts"
import { insertInto } from "../../../platform/db/columns.ts"
import { afterCommit } from "../../../platform/db/commit.ts"
import { enqueueNow } from "../../../platform/queues/messages.ts"
import type { Provider } from "../../../providers/provider.ts"
import type { SendsMessage } from "../../messages.ts"
import { placeholder } from "../open-emails.ts"
import { providerPauses } from "../table.ts"

/** The wait between two probes of a provider that takes no mail. */
export const PROBE_EVERY_MS = 30 * SECOND_MS

/** After a fault of the provider. A lone fault is checked at once with another email. */
export const pauseProvider = (
  work: Work,
  { name }: Provider,
  { reason, isLone }: { reason: string; isLone: boolean },
) =>
  work.db.run(sql`
    ${insertInto(
      providerPauses,
      {
        provider: sql`${name}`,
        since: work.now(),
        reason: sql`${reason}`,
        probeAt: work.now() + (isLone ? 0 : PROBE_EVERY_MS),
      },
      sql`where true on conflict do nothing`,
    )}`)

/** A probe whose consumer died is repeated after this time. */
const PROBE_LEASE_MS = 90 * SECOND_MS

const ofProvider = sql`${providerPauses.provider} = ${placeholder.provider}`

/**
 * Part of a claim, before the choice. While the provider is paused, one claim at a time takes the
 * probe. A probe further ahead than its lease was set by a wrong clock.
 */
export const takeProbe = ({ db }: Pick<Work, "db">) =>
  db
    .update(providerPauses)
    .set({
      probeAt: sql`${placeholder.now} + ${PROBE_LEASE_MS}`,
      probedBy: sql`${placeholder.claim}`,
    })
    .where(
      sql`${ofProvider} and (${providerPauses.probeAt} <= ${placeholder.now}
        or ${providerPauses.probeAt} > ${placeholder.now} + ${2 * PROBE_LEASE_MS})`,
    )

/** How many emails a claim may take: all, or the probe alone, or none. */
export const allowedByPause = sql`coalesce((
  select iif(${providerPauses.probedBy} = ${placeholder.claim}, 1, 0) from ${providerPauses}
  where ${ofProvider}), ${placeholder.size})`

export const selectPause = ({ db }: Pick<Work, "db">) =>
  db
    .select({ isProbe: sql<0 | 1>`coalesce(${providerPauses.probedBy} = ${placeholder.claim}, 0)` })
    .from(providerPauses)
    .where(ofProvider)

/** After a probe that failed. */
export const pauseLonger = (work: Work, claim: string, reason: string) =>
  work.db
    .update(providerPauses)
    .set({ reason, probeAt: work.now() + PROBE_EVERY_MS, probedBy: null })
    .where(eq(providerPauses.probedBy, claim))

/** After a probe that the provider answered: everything that is due goes out. */
export const endPause = (work: Work, claim: string) =>
  afterCommit(work.db.delete(providerPauses).where(eq(providerPauses.probedBy, claim)), () =>
    enqueueNow<SendsMessage>(work.env, [
      { kind: "sends-backlog", teams: [], dueAt: 0 },
      { kind: "sends-bulk", dueAt: 0 },
    ]),
  )

/** For a claim that took the probe and found no email. */
export const giveProbeBack = (work: Work, claim: string) =>
  work.db
    .update(providerPauses)
    .set({ probeAt: work.now(), probedBy: null })
    .where(eq(providerPauses.probedBy, claim))

export const giveUpAfterMs = ({ settings }: Work) => settings.SEND_GIVE_UP_HOURS * HOUR_MS
