import { eq, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { inRounds } from "../../lib/rounds.ts"
import { domains } from "../domains/table.ts"
import { anonymize } from "../emails/outcomes/erased-recipients.ts"
import type { OutcomesMessage } from "../emails/outcomes/queue.ts"
import type { EmailReport } from "../emails/outcomes/report.ts"
import { e } from "../emails/table.ts"
import type { Work } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { jsonFields } from "../platform/db/json-rows.ts"
import { sweepDeadLetters } from "../platform/queues/dead-letters.ts"
import { deadLetters } from "../platform/queues/table.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { noteDeadLetters } from "../teams/notices/keep.ts"
import { reportSender, rewriteLetters, rewriteReports } from "./rewrite-letters.ts"

/** A letter has up to 128 KB. */
const ROUNDS = { size: 20 }

const x = jsonFields<EmailReport>()
const l = alias(deadLetters, "l")

interface DeadLetter {
  id: string
  body: string
  emailIds: string
}

/** Runs after the mail log. Unrecorded reports lose their personal data, as those that come after an erasure do. */
export async function eraseDeadLetters(work: Work, teamId: string, email: string): Promise<void> {
  const erased = erasedForm(work.settings, email)
  await sweepDeadLetters(work, noteDeadLetters)
  await eraseReports(work, teamId, email)
  await inRounds(ROUNDS, async (size, last?: DeadLetter) => {
    const letters = await work.db.all<DeadLetter>(sql`
      select ${l.id}, ${l.body}, json_group_array(${e.id}) as emailIds
      from dead_letters l
      cross join json_each(${l.body}, '$.events') x
      cross join emails e on ${e.teamId} = ${x.teamId} and ${e.id} = ${x.emailId}
      where ${eq(l.queue, "outcomes")} and ${l.id} > ${last?.id ?? ""} and ${e.teamId} = ${teamId}
        and instr(${e.recipients}, ${erased})
      group by ${l.id} order by ${l.id} limit ${size}`)
    const redacted = letters.map(({ id, body, emailIds }) => ({
      id,
      body: redact(JSON.parse(body), new Set(JSON.parse(emailIds))),
    }))
    await commit(work, { letters: rewriteLetters(work, redacted) })
    return letters
  })

  function redact(message: OutcomesMessage, emailIds: ReadonlySet<string>): OutcomesMessage {
    if (!("events" in message)) return message
    const events = message.events.map((event) =>
      emailIds.has(event.emailId) ? withoutPerson(event) : event,
    )
    return { ...message, events }
  }

  function withoutPerson(event: EmailReport): EmailReport {
    const { anonymous, addresses } = anonymize(work.settings, event.data)
    const recipients = addresses?.map(([address, form]) => (form === erased ? form : address))
    return { ...event, data: { ...anonymous, ...(recipients && { recipients }) } }
  }
}

/** A report of Cloudflare names its recipient, and as its sender an address at a team's domain. */
const eraseReports = (work: Work, teamId: string, email: string) => {
  const host = sql`lower(substr(${reportSender}, instr(${reportSender}, '@') + 1))`
  const isOfTeam = sql`exists (select 1 from ${domains} where ${domains.teamId} = ${teamId}
    and ('.' || ${host}) like '%.' || ${domains.name})`
  return rewriteReports(work, { before: email, after: erasedForm(work.settings, email) }, isOfTeam)
}
