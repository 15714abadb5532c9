import { sql } from "drizzle-orm"
import { jsonRows, membersOf } from "../db/json-rows.ts"
import type { Work } from "../env.ts"
import type { WebhookRef } from "../queues/messages.ts"
import { keepChanges } from "../stream/outbox.ts"
import { publishKept } from "../stream/publish.ts"

export const DISABLED_AFTER_MS = 24 * 3_600_000
const DISABLED_REASON = "Disabled after 24 hours of failed deliveries."

/** The statements that disable those among the webhooks that have been failing for 24 hours. */
export const disableFailing = (work: Work, refs: readonly WebhookRef[]) =>
  [
    work.db.run(sql`
      update webhooks
      set enabled = 0, disabled_reason = ${DISABLED_REASON}, updated_at = ${work.now()}
      where (team_id, id) in ${listed(refs)} and ${isOverdue(work)}`),
    dropPending(work, refs),
  ] as const

/** Pending deliveries of the disabled ones among these webhooks fail for good. */
export const dropPending = (work: Work, refs: readonly WebhookRef[]) =>
  work.db.run(sql`
    update deliveries set state = 'failed', completed_at = ${work.now()}, due_at = null
    where state = 'pending' and due_at is not null and webhook_id in (
      select id from webhooks where (team_id, id) in ${listed(refs)} and enabled = 0
    )`)

/** Disables webhooks that have been failing for 24 hours, even without a new attempt. */
export async function sweepFailingWebhooks(work: Work): Promise<void> {
  const overdue = await work.db.all<WebhookRef>(
    sql`select team_id as teamId, id as webhookId from webhooks where ${isOverdue(work)} limit 500`,
  )
  if (overdue.length === 0) return
  const [kept] = await work.db.batch([
    keepChanges(
      work,
      sql`select team_id, 'webhook' as type, id from webhooks
        where (team_id, id) in ${listed(overdue)} and ${isOverdue(work)}`,
    ),
    ...disableFailing(work, overdue),
  ])
  await publishKept(work, kept)
}

const isOverdue = (work: Work) =>
  sql`enabled = 1 and failing_since is not null and failing_since <= ${work.now() - DISABLED_AFTER_MS}`

const x = membersOf<WebhookRef>()
const listed = (refs: readonly WebhookRef[]) =>
  sql`(select ${x.teamId}, ${x.webhookId} from ${jsonRows(refs)})`
