import { sql } from "drizzle-orm"
import { newId, timeOf } from "../../../lib/id.ts"
import { insertRecipientsOf } from "../../emails/accept/insert.ts"
import { enqueueSends } from "../../emails/queue.ts"
import { emails } from "../../emails/table.ts"
import { storedWords } from "../../emails/word-index/subject-words.ts"
import type { Work } from "../../platform/context.ts"
import { afterCommit, commit } from "../../platform/db/commit.ts"
import { CAMPAIGN_BACKOFF_MS } from "../../platform/queues/due-work.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { renderSubject } from "../body.ts"
import { campaignRuns, campaigns } from "../table.ts"
import { type CampaignWithRun, isCampaign, isRun } from "../view.ts"
import type { AudienceMember } from "./audience-page.ts"
import { type NewEmail, storeBatch, storeEmails } from "./mail-batch.sql.ts"
import { enterWave } from "./waves.ts"

function toEmail(work: Work, row: CampaignWithRun, contact: AudienceMember): NewEmail {
  const id = newId("email", work.now())
  const subject = renderSubject(
    row.subject,
    { ...contact, properties: JSON.parse(contact.properties) },
    row.mergeDefaults ?? {},
  )
  return {
    id,
    createdAt: timeOf(id),
    contactId: contact.id,
    address: contact.email,
    erased: erasedForm(work.settings, contact.email),
    subject,
    subjectWords: storedWords(subject),
  }
}

/**
 * Writes the emails of one batch and moves the cursor, if the cursor is still where the batch
 * begins. A second consumer with the same batch writes nothing.
 */
export async function mailBatch(
  work: Work,
  row: CampaignWithRun,
  audience: readonly AudienceMember[],
): Promise<boolean> {
  const { teamId, id: campaignId } = row
  const now = work.now()
  const batch = audience.map((contact) => toEmail(work, row, contact))
  const batchId = audience.at(-1)?.id ?? ""
  const isNext = sql`${isRun(teamId, campaignId)} and ${campaignRuns.cursor} is ${row.cursor}
    and ${campaignRuns.pausedReason} is null and exists (select 1 from ${campaigns}
      where ${isCampaign(teamId, campaignId)} and ${campaigns.status} = 'sending')`
  const ids = JSON.stringify(batch.map(({ id }) => id))
  const written = sql`json_each(${ids}) x
    cross join emails on ${emails.teamId} = ${teamId} and ${emails.id} = x.value`
  const count = sql`(select count(*) from ${written})`
  const { moved } = await commit(work, {
    emails: afterCommit(storeEmails(work, row, batch, isNext), async (work, { length }) => {
      if (length > 0) await enqueueSends(work, [{ teamId, notBefore: now, bulk: true }])
    }),
    recipients: work.db.run(insertRecipientsOf(sql`from ${written}`)),
    batch: storeBatch(work, { teamId, campaignId, batchId }, written),
    moved: work.db
      .update(campaignRuns)
      .set({
        cursor: batchId,
        recipients: sql`${campaignRuns.recipients} + ${count}`,
        open: sql`${campaignRuns.open} + ${count}`,
        ...enterWave(row, batch[0]?.id ?? "", count),
        dueAt: now + CAMPAIGN_BACKOFF_MS,
      })
      .where(isNext)
      .returning({ id: campaignRuns.campaignId }),
  })
  return moved.length > 0
}
