import { sql } from "drizzle-orm"
import { membersOf } from "../db/json-rows.ts"
import type { Work } from "../env.ts"
import { lateReport } from "../outcomes/late-reports.ts"
import { sweepDeadLetters } from "../queues/dead-letters.ts"
import type { QueueMessage } from "../queues/messages.ts"
import type { EmailReport } from "../queues/report.ts"
import { erasedForm } from "../suppressions/erased.ts"

/** A letter has up to 128 KB. */
const LETTERS_A_ROUND = 20

const x = membersOf<EmailReport>()

/** Runs after the mail log. Unrecorded reports lose their personal data, as late ones do. */
export async function eraseDeadLetters(work: Work, teamId: string, email: string): Promise<void> {
  const erased = erasedForm(email)
  await sweepDeadLetters(work)
  await eraseReports(work, teamId, email)
  for (let after = ""; ; ) {
    const letters = await work.db.all<{ id: string; body: string; emailIds: string }>(sql`
      select l.id, l.body, json_group_array(e.id) as emailIds
      from dead_letters l
      cross join json_each(l.body, '$.events') x
      cross join emails e on e.team_id = ${x.teamId} and e.id = ${x.emailId}
      where l.queue = 'outcomes' and l.id > ${after} and e.team_id = ${teamId}
        and instr(e.recipients, ${erased})
      group by l.id order by l.id limit ${LETTERS_A_ROUND}`)
    const [first, ...more] = letters.map(({ id, body, emailIds }) => {
      const redacted = redact(JSON.parse(body), new Set(JSON.parse(emailIds)))
      return work.db.run(
        sql`update dead_letters set body = ${JSON.stringify(redacted)} where id = ${id}`,
      )
    })
    if (first) await work.db.batch([first, ...more])
    after = letters.at(-1)?.id ?? ""
    if (letters.length < LETTERS_A_ROUND) return
  }

  function redact(message: QueueMessage, emailIds: ReadonlySet<string>): QueueMessage {
    if (!("events" in message)) return message
    const events = message.events.map((event) =>
      emailIds.has(event.emailId) ? withoutPerson(event) : event,
    )
    return { ...message, events }
  }

  function withoutPerson(event: EmailReport): EmailReport {
    const { late, concerned } = lateReport(event.data)
    const recipients = concerned?.map(([address, form]) => (form === erased ? form : address))
    return { ...event, data: { ...late, ...(recipients && { recipients }) } }
  }
}

/** A report of Cloudflare names its recipient, and as its sender an address at a team's domain. */
const eraseReports = (work: Work, teamId: string, email: string) =>
  work.db.run(sql`
    update dead_letters as l set body = json_remove(
      json_set(body, '$.report.payload.recipient', ${erasedForm(email)}),
      '$.report.payload.subject', '$.report.payload.delivery.smtpResponse',
      '$.report.payload.bounce.reason', '$.report.payload.rejection.reason',
      '$.report.payload.failure.reason')
    where lower(l.body ->> '$.report.payload.recipient') = ${email} and exists (
      select 1 from domains d where d.team_id = ${teamId}
        and ('.' || lower(substr(l.body ->> '$.report.payload.sender',
          instr(l.body ->> '$.report.payload.sender', '@') + 1))) like '%.' || d.name)`)
