import { and, eq, type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { normalizeAddress } from "../../lib/address.ts"
import { log } from "../../lib/log.ts"
import { c } from "../contacts/table.ts"
import { emailRecipients } from "../emails/table.ts"
import { erasures } from "../erasure/table.ts"
import type { Work } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { distinctIds } from "../platform/db/per-owner.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { s } from "../suppressions/table.ts"
import { auditLog } from "../teams/audit/table.ts"
import { events } from "../webhooks/events/table.ts"
import {
  type AddressPosition,
  type RemovalRepeat,
  removalRepeats,
  repeatedErasures,
} from "./table.ts"

/** The hashes of a page take some milliseconds. */
const ADDRESSES_A_PAGE = 2_000

const a = alias(auditLog, "a")
const er = alias(emailRecipients, "er")

/** A page of the addresses in one place, each with its position as JSON. */
type SelectPage = (teamId: string, after: readonly string[]) => SQL

const selectDistinct =
  (next: (teamId: string, after: SQL) => SQL): SelectPage =>
  (teamId, [from = ""]) =>
    sql`
    with recursive ${distinctIds("found", (after) => next(teamId, after), {
      from: sql`${from}`,
      limit: ADDRESSES_A_PAGE,
    })}
    select id as address, json_array(id) as after from found where id is not null`

/** Where an address may stand without standing in a place before. */
const SOURCES: readonly SelectPage[] = [
  selectDistinct(
    (teamId, after) => sql`(select min(${er.address}) from email_recipients er
      where ${er.teamId} = ${teamId} and ${er.address} > ${after})`,
  ),
  (teamId, [bookId = "", email = ""]) => sql`
    select ${c.email} as address, json_array(${c.bookId}, ${c.email}) as after from contacts c
    where ${c.teamId} = ${teamId} and (${c.bookId}, ${c.email}) > (${bookId}, ${email})
    order by ${c.bookId}, ${c.email} limit ${ADDRESSES_A_PAGE}`,
  selectDistinct(
    (teamId, after) => sql`(select min(${s.email}) from suppressions s
      where ${s.teamId} = ${teamId} and ${s.email} > ${after})`,
  ),
  selectDistinct(
    (teamId, after) => sql`(
      select min(${events.data} ->> '$.contact.email') from events indexed by events_contact
      where ${events.teamId} = ${teamId} and ${events.data} ->> '$.contact.email' > ${after}
        and substr(${events.type}, 1, 8) = 'contact.')`,
  ),
  // A label is an address, or begins with one.
  (teamId, [id = ""]) => sql`
    select substr(${a.label}, 1, instr(${a.label} || ' ', ' ') - 1) as address,
      json_array(${a.id}) as after
    from audit_log a where ${a.teamId} = ${teamId} and ${a.id} > ${id}
    order by ${a.id} limit ${ADDRESSES_A_PAGE}`,
]

/**
 * Hashes a page of a team's addresses, and requests the erasure of those whose hash was erased. Only
 * the hashes are kept outside the database, so every address has to be compared.
 */
export async function compareAddresses(
  work: Work,
  asked: RemovalRepeat,
  { team, source, after }: AddressPosition,
): Promise<void> {
  const teamId = team ?? (await selectNextTeam(work))
  if (!teamId) return finish(work, asked)
  const select = SOURCES[source]
  if (!select) {
    await work.db.batch([
      work.db
        .delete(repeatedErasures)
        .where(
          and(
            eq(repeatedErasures.teamId, teamId),
            sql`exists (select 1 from ${removalRepeats} where ${isAsRead(asked)})`,
          ),
        ),
      move(work, asked, { source: 0, after: [] }),
    ])
    return
  }
  const page = await work.db.all<{ address: string | null; after: string }>(select(teamId, after))
  const last = page.at(-1)
  const isEnd = last === undefined || page.length < ADDRESSES_A_PAGE
  await work.db.batch([
    requestErasures(
      work,
      teamId,
      page.flatMap(({ address }) => normalizeAddress(address ?? "") ?? []),
    ),
    move(
      work,
      asked,
      isEnd
        ? { team: teamId, source: source + 1, after: [] }
        : { team: teamId, source, after: JSON.parse(last.after) },
      sql`changes()`,
    ),
  ])
}

async function selectNextTeam(work: Work): Promise<string | null | undefined> {
  const [next] = await work.db
    .select({ id: sql<string | null>`min(${repeatedErasures.teamId})` })
    .from(repeatedErasures)
  return next?.id
}

interface Compared {
  email: string
  erased: string
}
const x = jsonFields<Compared>()

function requestErasures(work: Work, teamId: string, addresses: readonly string[]) {
  const compared: Compared[] = addresses.map((email) => ({
    email,
    erased: erasedForm(work.settings, email),
  }))
  return work.db.run(
    insertInto(
      erasures,
      { teamId, email: x.email, requestedAt: repeatedErasures.removedAt },
      sql`from ${jsonRows(compared)} join ${repeatedErasures}
        on ${repeatedErasures.teamId} = ${teamId} and ${repeatedErasures.erased} = ${x.erased}
        where true on conflict do nothing`,
    ),
  )
}

/** Two processes may repeat at the same time: a late one must not move the position of the other. */
export const isAsRead = ({ requestedAt, position }: RemovalRepeat) =>
  and(
    eq(removalRepeats.requestedAt, requestedAt),
    sql`${removalRepeats.position} is ${position && JSON.stringify(position)}`,
  )

/** With `count`, follows the statement that requests the erasures. */
const move = (work: Work, asked: RemovalRepeat, position: AddressPosition, count = sql`0`) =>
  work.db
    .update(removalRepeats)
    .set({ position, addresses: sql`${removalRepeats.addresses} + ${count}` })
    .where(isAsRead(asked))

async function finish(work: Work, asked: RemovalRepeat): Promise<void> {
  const [finished] = await work.db
    .update(removalRepeats)
    .set({ finishedAt: work.now() })
    .where(isAsRead(asked))
    .returning()
  if (!finished) return
  const { keys, members, teams, addresses } = finished
  log("warn", { repeatedRemovals: true, keys, members, teams, addresses })
}
