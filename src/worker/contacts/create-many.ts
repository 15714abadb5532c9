import { type SQL, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import type { Ctx } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import type { Statement } from "../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { storeEvents } from "../webhooks/events/store.ts"
import { choicesOf } from "./consents/choices.ts"
import { consentActor, firstEntries } from "./consents/consents.ts"
import { consent } from "./contacts.ts"
import { moveCounts } from "./counts.ts"
import { contactEvent } from "./events.ts"
import type { TopicChoices } from "./shapes.ts"
import { type ContactRow, contacts } from "./table.ts"

export interface NewAddress {
  bookId: string
  email: string
  /** What the address has chosen in other books. */
  topics: TopicChoices
}

const x = jsonFields<ContactRow>()

/**
 * For `commit`: contacts that are not subscribed, in books of the team, if `condition` holds. The batch
 * fails if one of the addresses is in its book already.
 */
export async function addContacts(
  ctx: Ctx,
  teamId: string,
  addresses: readonly NewAddress[],
  condition: SQL,
): Promise<Statement[]> {
  if (addresses.length === 0) return []
  const now = ctx.now()
  const rows = addresses.map(
    (address): ContactRow => ({
      ...address,
      ...consent(ctx, false),
      ...{ teamId, id: newId("contact", now), createdAt: now, updatedAt: now },
      ...{ firstName: null, lastName: null, firstKey: null, lastKey: null, properties: {} },
      ...{ confirmation: null, confirmedAt: null },
    }),
  )
  const from = sql`from ${jsonRows(rows)} where ${condition}`
  const topics = choicesOf(teamId, x.email)
  const actor = await consentActor(ctx)
  return [
    moveCounts(
      ctx,
      teamId,
      sql`select ${x.bookId} as book_id, count(*) as contacts, 0 as subscribed ${from} group by 1`,
    ),
    ...storeEvents(
      ctx,
      rows.map((row) => contactEvent(ctx, "created", row)),
      condition,
    ),
    ctx.db.run(
      insertInto(
        contacts,
        {
          teamId: x.teamId,
          bookId: x.bookId,
          id: x.id,
          email: x.email,
          properties: sql`'{}'`,
          subscribed: sql`false`,
          unsubscribedAt: x.unsubscribedAt,
          createdAt: x.createdAt,
          updatedAt: x.updatedAt,
          topics,
          consents: firstEntries(now, actor, sql`false`, { all: topics, own: sql`'{}'` }),
        },
        from,
      ),
    ),
  ]
}
