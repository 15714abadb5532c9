import { and, eq, isNull, type SQL, sql } from "drizzle-orm"
import { DAY_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { keepChanges, newPublication } from "../../stream/outbox.ts"
import { keepNoticesFrom } from "../../teams/notices/keep.ts"
import { WEBHOOK_KEY, webhooks } from "../events/table.ts"
import type { WebhookRef } from "../messages.ts"
import { dropPending, droppedAtNow, NO_POSITION } from "./drop.ts"
import type { Result } from "./record.sql.ts"

export const DISABLED_AFTER_MS = DAY_MS
const DISABLED_AT_ONCE = 500
const DISABLED_REASON = "Disabled after 24 hours of failed deliveries."

interface Health {
  succeeded: boolean
  /** The first failure after the last success among these results. */
  failingSince: number | null
}

/**
 * Null if no result says anything about the receiver. While a request cannot leave, nobody knows how the
 * receiver is, so its 24 hours begin anew.
 */
export function healthOf(results: readonly Result[]): Health | null {
  if (results.some(({ neverLeft }) => neverLeft)) return { succeeded: true, failingSince: null }
  const ended = results
    .flatMap(({ attempt, verdict: { state } }) =>
      attempt ? { state, at: attempt.startedAt + attempt.durationMs } : [],
    )
    .sort((a, b) => a.at - b.at)
  if (ended.length === 0) return null
  const lastSuccess = ended.findLastIndex(({ state }) => state === "succeeded")
  return { succeeded: lastSuccess >= 0, failingSince: ended[lastSuccess + 1]?.at ?? null }
}

/** A webhook has been failing since its first failure after its last success. */
export const recordHealth = (
  work: Work,
  { teamId, webhookId }: WebhookRef,
  { succeeded, failingSince }: Health,
  condition: SQL,
) =>
  work.db
    .update(webhooks)
    .set({ failingSince })
    .where(
      and(
        eq(webhooks.teamId, teamId),
        eq(webhooks.id, webhookId),
        eq(webhooks.enabled, true),
        succeeded
          ? sql`${webhooks.failingSince} is not ${failingSince}`
          : isNull(webhooks.failingSince),
        condition,
      ),
    )

/** The statements that disable those among the webhooks that have been failing for 24 hours. */
export const disableFailing = (work: Work, refs: readonly WebhookRef[]) =>
  [
    keepNoticesFrom(
      work,
      "webhook_disabled",
      sql`select ${webhooks.teamId}, json_object('id', min(${webhooks.id})) as about from webhooks
        where ${WEBHOOK_KEY} in ${listed(refs)} and ${isOverdue(work)} group by ${webhooks.teamId}`,
    ),
    work.db
      .update(webhooks)
      .set({
        enabled: false,
        disabledReason: DISABLED_REASON,
        droppedAt: droppedAtNow(work),
        ...NO_POSITION,
        updatedAt: work.now(),
      })
      .where(sql`${WEBHOOK_KEY} in ${listed(refs)} and ${isOverdue(work)}`),
    ...dropPending(work, refs),
  ] as const

/** Disables webhooks that have been failing for 24 hours, even without a new attempt. */
export async function sweepFailingWebhooks(work: Work): Promise<void> {
  const overdue = await work.db
    .select({ teamId: webhooks.teamId, webhookId: webhooks.id })
    .from(webhooks)
    .where(isOverdue(work))
    .limit(DISABLED_AT_ONCE)
  if (overdue.length === 0) return
  await commit(work, {
    changes: keepChanges(
      work,
      sql`select ${webhooks.teamId}, 'webhook' as type, ${webhooks.id} from webhooks
        where ${WEBHOOK_KEY} in ${listed(overdue)} and ${isOverdue(work)}`,
      newPublication(work),
    ),
    disabled: disableFailing(work, overdue),
  })
}

const isOverdue = (work: Work) =>
  sql`${webhooks.enabled} = 1 and ${webhooks.failingSince} is not null
    and ${webhooks.failingSince} <= ${work.now() - DISABLED_AFTER_MS}`

const x = jsonFields<WebhookRef>()
const listed = (refs: readonly WebhookRef[]) =>
  sql`(select ${x.teamId}, ${x.webhookId} from ${jsonRows(refs)})`
