import { sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { emailEvent, recordEvents } from "./record.ts"

const EMAILS_A_ROUND = 200

/** Puts a hash where the mail log names an address, deletes what was said to it, cancels the rest. */
export async function eraseEmails(work: Work, teamId: string, email: string): Promise<number> {
  for (let erased = 0; ; ) {
    const round = await eraseRound(work, teamId, email)
    erased += round
    if (round < EMAILS_A_ROUND) return erased
  }
}

interface Logged {
  id: string
  status: string
  objectKey: string | null
  inboxKey: string | null
}

/** What was rewritten is not found again, so that a round is simply the next one. */
async function eraseRound(work: Work, teamId: string, email: string): Promise<number> {
  const logged = await work.db.all<Logged>(sql`
    select e.id, e.status, c.object_key as objectKey, m.object_key as inboxKey
    from email_recipients r
    cross join emails e on e.team_id = r.team_id and e.id = r.email_id
    left join email_contents c on c.team_id = e.team_id and c.email_id = e.id
    left join sandbox_messages m on m.team_id = e.team_id and m.email_id = e.id
    where r.team_id = ${teamId} and r.address = ${email} limit ${EMAILS_A_ROUND}`)
  if (logged.length === 0) return 0
  await cancelPending(work, teamId, logged)
  const objectKeys = logged
    .flatMap(({ objectKey, inboxKey }) => [objectKey, inboxKey])
    .filter((key) => key !== null)
  if (objectKeys.length > 0) await work.env.CONTENT.delete(objectKeys)
  await work.db.batch(rewrites(work, teamId, email, logged))
  return logged.length
}

async function cancelPending(work: Work, teamId: string, logged: readonly Logged[]) {
  const pending = logged.filter(({ status }) => status === "queued" || status === "scheduled")
  await recordEvents(
    work,
    pending.map(({ id }) =>
      emailEvent({ teamId, emailId: id }, "cancelled", work.now(), { reason: "erased" }),
    ),
  )
}

/** What a provider or a browser reported may name the person too, so it goes with the address. */
function rewrites(work: Work, teamId: string, email: string, logged: readonly Logged[]) {
  const erased = erasedForm(email)
  const ids = sql`(select value from json_each(${JSON.stringify(logged.map(({ id }) => id))}))`
  const ofThem = sql`team_id = ${teamId} and email_id in ${ids}`
  return [
    work.db.run(sql`
      update emails set recipients = (
        select json_group_array(json(iif(r.value ->> 'address' = ${email},
          json_object('address', ${erased}, 'as', r.value ->> 'as'), r.value)))
        from json_each(emails.recipients) r
      ), subject = replace(subject, ${email}, ${erased}),
        last_error = replace(last_error, ${email}, ${erased})
      where team_id = ${teamId} and id in ${ids}`),
    work.db.run(sql`
      update email_events set data = json_remove(
        replace(data, ${JSON.stringify(email)}, ${JSON.stringify(erased)}),
        '$.diagnosticCode', '$.userAgent', '$.ip'
      ) where ${ofThem}`),
    work.db.run(sql`delete from email_contents where ${ofThem}`),
    work.db.run(sql`delete from sandbox_messages where ${ofThem}`),
    work.db.run(sql`update or replace email_recipients set address = ${erased}
      where team_id = ${teamId} and address = ${email} and email_id in ${ids}`),
  ] as const
}
