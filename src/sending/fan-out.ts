import { sql } from "drizzle-orm"
import type { MergeContact } from "../blocks/merge.ts"
import { renderSubject } from "../campaigns/body.ts"
import { enqueueCampaigns, LOOK_AGAIN_AFTER_MS } from "../campaigns/queue.ts"
import { startScheduled } from "../campaigns/start.ts"
import { type CampaignWithRun, selectCampaign } from "../campaigns/view.ts"
import { enqueueSends } from "../emails/queue.ts"
import type { Work } from "../env.ts"
import { CLOCKS_APART_MS } from "../lib/clocks.ts"
import { newId } from "../lib/id.ts"
import type { CampaignRef } from "../queues/messages.ts"
import { blockingSuppressions } from "../suppressions/blocking.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { cancelPage, storePage } from "./campaign-batches.ts"
import { completeCampaign, endFanOut } from "./campaign-ends.ts"
import { enterWave, judgeWave, roomInWave } from "./waves.ts"

const CONTACTS_A_PAGE = 100
const STEPS_A_MESSAGE = 10

/** Takes a campaign some steps further, and leaves the rest to another message. */
export async function advanceCampaign(work: Work, ref: CampaignRef): Promise<void> {
  for (let step = 0; step < STEPS_A_MESSAGE; step++) {
    if (!(await takeStep(work, ref))) return
  }
  await enqueueCampaigns(work, [{ ...ref, notBefore: work.now() }])
}

/** Says whether there is more to do now. */
async function takeStep(work: Work, ref: CampaignRef): Promise<boolean> {
  const [[row], contacts] = await work.db.batch([
    selectCampaign(work, ref.teamId, ref.campaignId),
    selectContacts(work, ref),
  ])
  if (!row) return false
  if (row.status === "scheduled" && (row.scheduledAt ?? 0) <= work.now() + CLOCKS_APART_MS) {
    return startScheduled(work, row)
  }
  if (row.status === "sent" && row.open === 0 && row.completedAt === null) {
    await completeCampaign(work, row)
  }
  if (row.status === "cancelled") return cancelPage(work, ref)
  if (row.status !== "sending" || row.pausedReason !== null) return false
  if (contacts.length === 0) {
    await endFanOut(work, row)
    return true
  }
  const room = await roomInWave(work, row)
  if (room <= 0) return (await judgeWave(work, row)) === "goes on"
  return mailContacts(work, row, contacts.slice(0, room))
}

interface Recipient extends Omit<MergeContact, "properties"> {
  id: string
  properties: string
}

/** Newest first: whoever joins the book from now on stands behind the cursor. */
const selectContacts = (work: Work, { teamId, campaignId }: CampaignRef) =>
  work.db.all<Recipient>(sql`
    select c.id, c.email, c.first_name as firstName, c.last_name as lastName, c.properties
    from campaigns k
    cross join campaign_runs r on r.team_id = k.team_id and r.campaign_id = k.id
    cross join contact_books b on b.team_id = k.team_id and b.id = k.book_id
    cross join contacts c on c.team_id = k.team_id and c.book_id = k.book_id
      and unlikely(c.subscribed = 1) and c.id < coalesce(r.cursor, '~')
    where k.team_id = ${teamId} and k.id = ${campaignId} and k.status = 'sending'
    order by c.id desc limit ${CONTACTS_A_PAGE}`)

/**
 * One page, in one batch: the emails are written if the cursor stands where the page began, and
 * then it moves. Whoever comes second with the same page writes nothing.
 */
async function mailContacts(
  work: Work,
  row: CampaignWithRun,
  contacts: readonly Recipient[],
): Promise<boolean> {
  const { teamId, id: campaignId } = row
  const now = work.now()
  const page = contacts.map((contact) => ({
    id: newId("email", now),
    contactId: contact.id,
    address: contact.email,
    erased: erasedForm(contact.email),
    subject: renderSubject(
      row.subject,
      { ...contact, properties: JSON.parse(contact.properties) },
      row.mergeDefaults ?? {},
    ),
  }))
  const pageId = contacts.at(-1)?.id ?? ""
  const ids = sql`json_each(${JSON.stringify(page.map(({ id }) => id))})`
  const written = sql`${ids} x cross join emails e on e.team_id = ${teamId} and e.id = x.value`
  const isTurn = sql`r.cursor is ${row.cursor} and r.paused_reason is null and exists (
    select 1 from campaigns where team_id = ${teamId} and id = ${campaignId} and status = 'sending')`
  const [emails, , , moved] = await work.db.batch([
    work.db.all<{ emailId: string }>(sql`
      insert into emails (
        team_id, id, status, sender, recipients, reply_to, subject, domain_id, campaign_id,
        contact_id, track_opens, track_clicks, created_at, not_before
      )
      select k.team_id, x.value ->> 'id', 'queued', k.sender,
        json_array(json_object('address', x.value ->> 'address', 'as', 'to')),
        iif(k.reply_to is null, '[]', json_array(json(k.reply_to))), x.value ->> 'subject',
        k.domain_id, k.id, x.value ->> 'contactId', k.track_opens, k.track_clicks, ${now}, 0
      from campaigns k
      cross join campaign_runs r on r.team_id = k.team_id and r.campaign_id = k.id and ${isTurn}
      cross join json_each(${JSON.stringify(page)}) x
      where k.team_id = ${teamId} and k.id = ${campaignId} and ${blockingSuppressions({
        team: sql`k.team_id`,
        addresses: sql`select x.value ->> 'address' as address, x.value ->> 'erased' as erased`,
        override: sql`0`,
      })} = '[]'
      returning id as emailId`),
    work.db.run(sql`insert into email_recipients (team_id, address, email_id)
      select e.team_id, r.value ->> 'address', e.id from ${written}, json_each(e.recipients) r`),
    storePage(work, { teamId, campaignId, pageId }, written),
    work.db.all(sql`
      update campaign_runs as r set cursor = ${pageId},
        recipients = recipients + (select count(*) from ${written}),
        open = open + (select count(*) from ${written}),
        ${enterWave(row, page[0]?.id ?? "", sql`(select count(*) from ${written})`)}
        due_at = ${now + LOOK_AGAIN_AFTER_MS}
      where r.team_id = ${teamId} and r.campaign_id = ${campaignId} and ${isTurn}
      returning campaign_id`),
  ])
  if (emails.length > 0) await enqueueSends(work, [{ teamId, notBefore: now, bulk: true }])
  return moved.length > 0
}
