import { and, eq, type SQL, sql } from "drizzle-orm"
import { inRounds } from "../../lib/rounds.ts"
import { untilWon } from "../../lib/until-won.ts"
import { domains } from "../domains/table.ts"
import { anonymize } from "../emails/outcomes/erased-recipients.ts"
import type { OutcomesMessage } from "../emails/outcomes/queue.ts"
import type { EmailReport } from "../emails/outcomes/report.ts"
import { emails } from "../emails/table.ts"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { assignments } from "../platform/db/columns.ts"
import { commit } from "../platform/db/commit.ts"
import { DIRECTORY, workIn } from "../platform/db/databases.ts"
import { jsonFields } from "../platform/db/json-rows.ts"
import { sweepDeadLetters } from "../platform/queues/dead-letters.ts"
import { deadLetters } from "../platform/queues/table.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { noteDeadLetters } from "../teams/notices/keep.ts"

/** A letter has up to 128 KB. */
const ROUNDS = { size: 20 }

const x = jsonFields<EmailReport>()

interface DeadLetter {
  id: string
  body: string
  emailIds: string
}

/**
 * Runs after the mail log. Unrecorded reports lose their personal data, as those that come after an
 * erasure do. The directory has the letters of all databases. What another erasure changes meanwhile
 * is read again.
 */
export async function eraseDeadLetters(work: Work, teamId: string, email: string): Promise<void> {
  const erased = erasedForm(work.settings, email)
  const home = workIn(work, DIRECTORY)
  await sweepDeadLetters(home, noteDeadLetters)
  await eraseReports(work, teamId, email)
  await inRounds(ROUNDS, (size, last?: DeadLetter) => untilWon(() => redactLetters(size, last)))

  async function redactLetters(size: number, last?: DeadLetter) {
    const letters = await home.db.all<DeadLetter>(sql`
      select ${deadLetters.id}, ${deadLetters.body}, json_group_array(${x.emailId}) as emailIds
      from dead_letters cross join json_each(${deadLetters.body}, '$.events') x
      where ${eq(deadLetters.queue, "outcomes")} and ${deadLetters.id} > ${last?.id ?? ""}
        and ${x.teamId} = ${teamId}
      group by ${deadLetters.id} order by ${deadLetters.id} limit +${size}`)
    if (letters.length === 0) return letters
    const idsOf = ({ emailIds }: DeadLetter): string[] => JSON.parse(emailIds)
    const named = await selectWith(work, { teamId, erased }, letters.flatMap(idsOf))
    const redacted = letters
      .filter((letter) => idsOf(letter).some((id) => named.has(id)))
      .map(({ id, body }) => ({ id, before: body, body: redact(JSON.parse(body), named) }))
    const rewritten = await commit(home, { letters: rewriteLetters(home, redacted) })
    return rewritten.letters.flat().length === redacted.length ? letters : undefined
  }

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

/** Which of these emails have the erased address as a recipient. */
async function selectWith(
  work: Work,
  { teamId, erased }: { teamId: string; erased: string },
  emailIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await work.db.all<{ id: string }>(sql`
    select ${emails.id} from json_each(${JSON.stringify(emailIds)}) x
    cross join emails on ${emails.teamId} = ${teamId} and ${emails.id} = x.value
    where instr(${emails.recipients}, ${erased})`)
  return new Set(found.map(({ id }) => id))
}

/** A report of Cloudflare names its recipient, and as its sender an address at a team's domain. */
async function eraseReports(work: Work, teamId: string, email: string): Promise<void> {
  const names = await work.db
    .select({ name: domains.name })
    .from(domains)
    .where(eq(domains.teamId, teamId))
  const host = sql`lower(substr(${reportSender}, instr(${reportSender}, '@') + 1))`
  const isOfTeam = sql`exists (
    select 1 from json_each(${JSON.stringify(names.map(({ name }) => name))})
    where substr('.' || ${host}, -length(value) - 1) = '.' || value)`
  const addresses = { before: email, after: erasedForm(work.settings, email) }
  await rewriteReports(workIn(work, DIRECTORY), addresses, isOfTeam)
}

interface RewrittenLetter {
  id: string
  body: OutcomesMessage
  before: string
}

/** The answers have the letters that were rewritten: a letter that changed since it was read stays. */
const rewriteLetters = (work: Work, letters: readonly RewrittenLetter[]) =>
  letters.map(({ id, body, before }) =>
    work.db
      .update(deadLetters)
      .set({ body })
      .where(and(eq(deadLetters.id, id), sql`${deadLetters.body} = ${before}`))
      .returning({ id: deadLetters.id }),
  )

const PAYLOAD = "$.report.payload"

/** What Cloudflare's reports say about a recipient, besides the address. */
const PERSONAL = [
  "subject",
  "delivery.smtpResponse",
  "bounce.reason",
  "rejection.reason",
  "failure.reason",
].map((name) => `${PAYLOAD}.${name}`)

/** Cloudflare's report in a letter: the address of its sender. */
const reportSender = sql`(${deadLetters.body} ->> ${sql.raw(`'${PAYLOAD}.sender'`)})`

/** Replaces the recipient in Cloudflare's reports that meet the condition. */
const rewriteReports = (
  work: Work,
  { before, after }: { before: string; after: string },
  condition: SQL,
): Query => {
  const recipient = `${PAYLOAD}.recipient`
  const paths = sql.join(
    PERSONAL.map((path) => sql`${path}`),
    sql`, `,
  )
  return work.db.run(sql`
    update dead_letters set ${assignments(deadLetters, {
      body: sql`json_remove(json_set(${deadLetters.body}, ${recipient}, ${after}), ${paths})`,
    })}
    where lower(${deadLetters.body} ->> ${recipient}) = ${before} and ${condition}`)
}
