import { type SQL, sql } from "drizzle-orm"
import type { MergeContact } from "../blocks/merge.ts"
import { renderBody, type StoredBody } from "../campaigns/body.ts"
import type { CampaignStatus } from "../campaigns/contract.ts"
import { load, type Stored } from "../db/overflow.ts"
import type { EmailContent } from "../emails/content.ts"
import type { EmailRow } from "../emails/table.ts"
import type { Work } from "../env.ts"
import { unsubscribeHeaders, unsubscribeUrl } from "../unsubscribe/link.ts"

interface Filling {
  emailId: string
  status: CampaignStatus | null
  mergeDefaults: string | null
  email: string
  firstName: string | null
  lastName: string | null
  properties: string
  subscribed: 0 | 1 | null
}

type Body = Stored & { campaignId: string }

/** Part of the claim: what the emails among `asked` that are of campaigns are made of. */
export const selectCampaignMail = (work: Work, asked: SQL) =>
  [
    work.db.all<Filling>(sql`
      select e.id as emailId, k.status, k.merge_defaults as mergeDefaults, c.email,
        c.first_name as firstName, c.last_name as lastName, c.properties, c.subscribed
      from emails e
      left join campaigns k on k.team_id = e.team_id and k.id = e.campaign_id
      left join contacts c on c.team_id = k.team_id and c.book_id = k.book_id and c.id = e.contact_id
      where (e.team_id, e.id) in ${asked} and e.campaign_id is not null`),
    work.db.all<Body>(sql`
      select campaign_id as campaignId, body, object_key as objectKey from campaign_bodies
      where (team_id, campaign_id) in (
        select team_id, campaign_id from emails where (team_id, id) in ${asked})`),
  ] as const

/** Of an email `e`: it is of no campaign, or of one that goes on. Others are withdrawn as cancelled. */
export const isGoingOn = sql`(e.campaign_id is null or exists (select 1 from campaigns k
  where k.team_id = e.team_id and k.id = e.campaign_id and k.status <> 'cancelled'))`

/** Why a campaign's email is not sent after all. */
export interface Withdrawn {
  withdrawn: "campaign_cancelled" | "unsubscribed"
}

/** Renders the content of campaigns' emails; each body is unpacked once. */
export function openCampaignMail(
  work: Work,
  fillings: readonly Filling[],
  bodies: readonly Body[],
) {
  const fillingOf = new Map(fillings.map((filling) => [filling.emailId, filling]))
  const unpacked = new Map(bodies.map((body) => [body.campaignId, once(() => unpack(work, body))]))

  return async (email: EmailRow): Promise<EmailContent | Withdrawn | null> => {
    const filling = fillingOf.get(email.id)
    if (!filling?.status || filling.status === "cancelled") {
      return { withdrawn: "campaign_cancelled" }
    }
    if (!filling.subscribed) return { withdrawn: "unsubscribed" }
    const body = await unpacked.get(email.campaignId ?? "")?.()
    return body ? toContent(work, email, filling, body) : null
  }
}

function toContent(work: Work, email: EmailRow, filling: Filling, body: StoredBody): EmailContent {
  const url = unsubscribeUrl(work.settings, {
    teamId: email.teamId,
    email: email.recipients[0]?.address ?? filling.email,
    emailId: email.id,
  })
  const contact: MergeContact = { ...filling, properties: JSON.parse(filling.properties) }
  const defaults = JSON.parse(filling.mergeDefaults ?? "{}") as Record<string, string>
  return {
    ...renderBody(body, contact, defaults, url),
    headers: unsubscribeHeaders(url),
    attachments: [],
  }
}

async function unpack(work: Work, stored: Stored): Promise<StoredBody | null> {
  const bytes = await load(work.env, stored)
  return bytes && (JSON.parse(bytes.toString("utf8")) as StoredBody)
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
