import { type SQL, sql } from "drizzle-orm"
import { emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import type { Query } from "../../platform/db/client.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { blockingSuppressions } from "../../suppressions/blocking.ts"
import type { CampaignRef } from "../messages.ts"
import { campaignBatches, campaignRuns, campaigns } from "../table.ts"
import type { CampaignWithRun } from "../view.ts"

export interface NewEmail {
  id: string
  createdAt: number
  contactId: string
  address: string
  erased: string
  subject: string
  subjectWords: string | null
}

/** Leaves out the addresses that are suppressed. */
export function storeEmails(
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
  const inserted = insertInto(
    emails,
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
export const storeBatch = (
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
