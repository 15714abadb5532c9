import { type SQL, sql } from "drizzle-orm"
import { newId, timeOf } from "../../../lib/id.ts"
import { insertEmails, insertRecipientsOf } from "../../emails/accept/insert.ts"
import { enqueueSends } from "../../emails/queue.ts"
import { emails } from "../../emails/table.ts"
import { storedWords } from "../../emails/word-index/subject-words.ts"
import type { Work } from "../../platform/context.ts"
import type { Query } from "../../platform/db/client.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { afterCommit, commit } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { CAMPAIGN_BACKOFF_MS } from "../../platform/queues/due-work.ts"
import { blockingSuppressions } from "../../suppressions/blocking.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { renderSubject } from "../body.ts"
import type { CampaignRef } from "../messages.ts"
import { campaignBatches, campaignRuns, campaigns } from "../table.ts"
import { type CampaignWithRun, isCampaign, isRun } from "../view.ts"
import type { AudienceMember } from "./audience-page.ts"
import { enterWave } from "./waves.ts"

interface NewEmail {
  id: string
  createdAt: number
  contactId: string
  address: string
  erased: string
  subject: string
  subjectWords: string | null
}

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

/** Leaves out the addresses that are suppressed. */
function storeEmails(
  work: Work,
  { teamId, id }: CampaignWithRun,
  batch: readonly NewEmail[],
  condition: SQL,
) {
  const x = jsonFields<NewEmail>()
  const from = sql`
    from campaigns
    cross join ${campaignRuns} on ${condition}
    cross join ${jsonRows(batch)}
    where ${campaigns.teamId} = ${teamId} and ${campaigns.id} = ${id} and ${blockingSuppressions({
      team: sql`${campaigns.teamId}`,
      addresses: sql`select ${x.address} as address, ${x.erased} as erased`,
      override: sql`0`,
    })} = '[]'`
  const inserted = insertEmails(
    {
      teamId: campaigns.teamId,
      id: x.id,
      status: sql`'queued'`,
      sender: campaigns.sender,
      recipients: sql`json_array(json_object('address', ${x.address}, 'as', 'to'))`,
      replyTo: sql`iif(${campaigns.replyTo} is null, '[]', json_array(json(${campaigns.replyTo})))`,
      subject: x.subject,
      subjectWords: x.subjectWords,
      domainId: campaigns.domainId,
      campaignId: campaigns.id,
      contactId: x.contactId,
      trackOpens: campaigns.trackOpens,
      trackClicks: campaigns.trackClicks,
      createdAt: x.createdAt,
      notBefore: 0,
    },
    from,
  )
  return work.db.all<{ id: string }>(sql`${inserted} returning id`)
}

/** Stores a campaign's batch, whose emails `written` has. */
const storeBatch = (
  work: Work,
  { teamId, campaignId, batchId }: CampaignRef & { batchId: string },
  written: SQL,
): Query =>
  work.db.run(sql`
    ${insertInto(
      campaignBatches,
      {
        teamId,
        campaignId,
        id: batchId,
        emails: sql`json_group_array(${emails.id})`,
      },
      sql`from ${written} having count(*) > 0`,
    )}`)
