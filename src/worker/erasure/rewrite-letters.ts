import { and, eq, type SQL, sql } from "drizzle-orm"
import type { OutcomesMessage } from "../emails/outcomes/queue.ts"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { assignments } from "../platform/db/columns.ts"
import { deadLetters } from "../platform/queues/table.ts"

interface RewrittenLetter {
  id: string
  body: OutcomesMessage
  before: string
}

/** The answers have the letters that were rewritten: a letter that changed since it was read stays. */
export const rewriteLetters = (work: Work, letters: readonly RewrittenLetter[]) =>
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
export const reportSender = sql`(${deadLetters.body} ->> ${sql.raw(`'${PAYLOAD}.sender'`)})`

/** Replaces the recipient in Cloudflare's reports that meet the condition. */
export const rewriteReports = (
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
