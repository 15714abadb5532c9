import { sql } from "drizzle-orm"
import { moveCounts } from "../contacts/counts.ts"
import type { Contact } from "../contacts/shapes.ts"
import { namedBatch } from "../db/client.ts"
import type { Work } from "../env.ts"
import { rewriteEvents, selectContactEvents } from "../events/rewrite.ts"
import { erasedForm } from "../suppressions/erased.ts"

const EVENTS_A_ROUND = 200

/** Removes an address from every book, and answers with the number of books. */
export async function eraseContacts(work: Work, teamId: string, email: string): Promise<number> {
  const theirs = sql`(
      select id from contact_books where team_id = ${teamId}
      union all select id from deleted_books where team_id = ${teamId}
    ) b cross join contacts c on c.team_id = ${teamId} and c.book_id = b.id and c.email = ${email}`
  const { deleted } = await namedBatch(work.db, {
    counts: moveCounts(
      work,
      teamId,
      sql`select c.book_id, -1 as contacts, -c.subscribed as subscribed from ${theirs}`,
    ),
    deleted: work.db.all(sql`delete from contacts where (team_id, book_id, id) in (
      select c.team_id, c.book_id, c.id from ${theirs}) returning id`),
  })
  await eraseContactEvents(work, teamId, email)
  return deleted.length
}

/** Rewritten events are not found again, so each round finds the next ones. */
async function eraseContactEvents(work: Work, teamId: string, email: string): Promise<void> {
  for (;;) {
    const told = await selectContactEvents(work, teamId, email, EVENTS_A_ROUND)
    const [first, ...more] = rewriteEvents(
      work,
      teamId,
      told.map((event) => ({ ...event, data: { contact: forgotten(JSON.parse(event.data)) } })),
    )
    if (first) await work.db.batch([first, ...more])
    if (told.length < EVENTS_A_ROUND) return
  }
}

/** Only the ids and the dates stay. */
const forgotten = ({ contact }: { contact: Contact }): Contact => ({
  ...contact,
  email: erasedForm(contact.email),
  firstName: null,
  lastName: null,
  properties: {},
  unsubscribeReason: null,
})
