import { and, eq, sql } from "drizzle-orm"
import { log } from "../../lib/log.ts"
import { erasures } from "../erasure/table.ts"
import type { Work } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { PLACES } from "./places.ts"
import {
  type AddressPosition,
  type RemovalRepeat,
  removalRepeats,
  repeatedErasures,
} from "./table.ts"

export const START: AddressPosition = { place: PLACES[0]?.name ?? null, after: [] }

/**
 * Hashes a page of a team's addresses, and requests the erasure of those whose hash was erased. Only
 * the hashes are kept outside the database, so every address has to be compared.
 */
export async function compareAddresses(
  work: Work,
  asked: RemovalRepeat,
  { team, place, after }: AddressPosition,
): Promise<void> {
  const teamId = team ?? (await selectNextTeam(work))
  if (!teamId) return finish(work, asked)
  if (place === null) {
    await work.db.batch([
      work.db
        .delete(repeatedErasures)
        .where(
          and(
            eq(repeatedErasures.teamId, teamId),
            sql`exists (select 1 from ${removalRepeats} where ${isAsRead(asked)})`,
          ),
        ),
      move(work, asked, START),
    ])
    return
  }
  const at = PLACES.findIndex(({ name }) => name === place)
  const page = await PLACES[at]?.readPage(work, teamId, after)
  // Another version may have had another place.
  const next = page ? { place: PLACES[at + 1]?.name ?? null, after: [] } : START
  const position = page?.last ? { place, after: page.last } : next
  await work.db.batch([
    requestErasures(work, teamId, page?.addresses ?? []),
    move(work, asked, { team: teamId, ...position }, sql`changes()`),
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
      sql`from ${jsonRows(compared)} cross join ${repeatedErasures}
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
