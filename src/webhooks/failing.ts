import { sql } from "drizzle-orm"
import { assigned } from "../db/columns.ts"
import { commit } from "../db/commit.ts"
import { jsonRows, membersOf } from "../db/json-rows.ts"
import type { Work } from "../env.ts"
import { WEBHOOK_KEY, webhooks } from "../events/table.ts"
import { keepNoticesFrom } from "../notices/keep.ts"
import type { WebhookRef } from "../queues/messages.ts"
import { keepChanges } from "../stream/outbox.ts"
import { dropPending, dropsAt } from "./drop.ts"
import type { Result } from "./record.ts"

export const DISABLED_AFTER_MS = 24 * 3_600_000
const DISABLED_AT_ONCE = 500
const DISABLED_REASON = "Disabled after 24 hours of failed deliveries."

interface Health extends WebhookRef {
  succeeded: boolean
  /** The first failure after the last success among these results. */
  failingSince: number | null
}
const health = membersOf<Health>()

export function healthOf(results: readonly Result[]): Health[] {
  const byWebhook = new Map<string, Health>()
  const ended = results
    .flatMap(({ delivery, attempt, verdict, isOurFault }) =>
      attempt && !isOurFault
        ? { delivery, verdict, endedAt: attempt.startedAt + attempt.durationMs }
        : [],
    )
    .sort((a, b) => a.endedAt - b.endedAt)
  for (const { delivery, verdict, endedAt } of ended) {
    const { teamId, webhookId } = delivery
    const before = byWebhook.get(webhookId)
    const succeeded = verdict.state === "succeeded"
    byWebhook.set(webhookId, {
      teamId,
      webhookId,
      succeeded: succeeded || (before?.succeeded ?? false),
      failingSince: succeeded ? null : (before?.failingSince ?? endedAt),
    })
  }
  return [...byWebhook.values()]
}

/** A webhook has been failing since its first failure after its last success. */
export const recordHealth = (work: Work, healths: readonly Health[]) =>
  work.db.run(sql`
    update webhooks set ${assigned(webhooks, {
      failingSince: sql`iif(${health.succeeded}, ${health.failingSince},
        coalesce(${webhooks.failingSince}, ${health.failingSince}))`,
    })} from ${jsonRows(healths)}
    where ${webhooks.teamId} = ${health.teamId} and ${webhooks.id} = ${health.webhookId}
      and ${webhooks.enabled} = 1 and iif(${health.succeeded},
        ${webhooks.failingSince} is not ${health.failingSince}, ${webhooks.failingSince} is null)`)

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
        droppedAt: dropsAt(work),
        updatedAt: work.now(),
      })
      .where(sql`${WEBHOOK_KEY} in ${listed(refs)} and ${isOverdue(work)}`),
    dropPending(work, refs),
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
    ),
    disabled: disableFailing(work, overdue),
  })
}

const isOverdue = (work: Work) =>
  sql`${webhooks.enabled} = 1 and ${webhooks.failingSince} is not null
    and ${webhooks.failingSince} <= ${work.now() - DISABLED_AFTER_MS}`

const x = membersOf<WebhookRef>()
const listed = (refs: readonly WebhookRef[]) =>
  sql`(select ${x.teamId}, ${x.webhookId} from ${jsonRows(refs)})`
