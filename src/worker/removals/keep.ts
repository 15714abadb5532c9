import { type SQL, sql } from "drizzle-orm"
import { mapLimit } from "../../lib/chunk.ts"
import { inRounds } from "../../lib/rounds.ts"
import type { Work } from "../platform/context.ts"
import { insertInto, resultColumns, type ValuesOf } from "../platform/db/columns.ts"
import { afterCommit } from "../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { deleteObjectsUnder, MAX_OBJECTS, unlessBeingWritten } from "../platform/db/overflow.ts"
import { REMOVAL_KINDS, type Removal, removals } from "./table.ts"

/** Each is one of an invocation's thousand requests. */
const ROUNDS = { rounds: 2, size: 100 }
/** A Worker has six connections open at once. */
const AT_ONCE = 5

const PREFIX = "removals/"
const { teamId, kind, subject, removedAt } = removals

/**
 * For `commit`, beside the statement that removes something, and before that statement: `from` finds
 * the rows that it will remove. The bucket keeps removals, since a restore of the database undoes them.
 */
export const keepRemovals = (
  { db }: Pick<Work, "db">,
  values: ValuesOf<typeof removals>,
  from: SQL,
) =>
  afterCommit(
    db.all<Removal>(sql`
      ${insertInto(removals, values, sql`${from} on conflict do nothing`)}
      returning ${resultColumns({ teamId, kind, subject, removedAt })}`),
    (work, kept) => (kept.length > 0 ? moveRemovals(work, kept) : undefined),
  )

/** Moves removals into the bucket whose own step did not. */
export const sweepRemovals = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const kept = await work.db.select().from(removals).limit(size)
    if (kept.length > 0) await moveRemovals(work, kept)
    return kept
  })

/** The step of a removal may be writing the same object. What R2 refuses then waits for the next sweep. */
async function moveRemovals(work: Work, kept: readonly Removal[]): Promise<void> {
  const written = await mapLimit(kept, AT_ONCE, (removal) => {
    const put = work.env.CONTENT.put(keyOf(removal), "")
    return put.then(() => removal).catch(unlessBeingWritten)
  })
  const moved = written.flatMap((removal) => removal ?? [])
  const x = jsonFields<Removal>()
  await work.db.delete(removals).where(sql`
    (${teamId}, ${kind}, ${subject}, ${removedAt}) in (
      select ${x.teamId}, ${x.kind}, ${x.subject}, ${x.removedAt} from ${jsonRows(moved)})`)
}

/** The key says everything, so a list of keys is enough to read. */
const keyOf = ({ teamId, kind, subject, removedAt }: Removal) =>
  `${PREFIX}${teamId}/${kind}/${subject}/${removedAt}`

function readKey(key: string): Removal | null {
  const [teamId = "", given = "", subject = "", at = ""] = key.slice(PREFIX.length).split("/")
  const kind = REMOVAL_KINDS.find((one) => one === given)
  return kind && subject && /^\d+$/.test(at)
    ? { teamId, kind, subject, removedAt: Number(at) }
    : null
}

/** A page of what the bucket keeps. `last` is null at the end. */
export async function listRemovals({ env }: Pick<Work, "env">, startAfter?: string) {
  const options = { prefix: PREFIX, limit: MAX_OBJECTS, ...(startAfter && { startAfter }) }
  const { objects, truncated } = await env.CONTENT.list(options)
  return {
    removals: objects.flatMap(({ key }) => readKey(key) ?? []),
    last: truncated ? (objects.at(-1)?.key ?? null) : null,
  }
}

/** Only the deletion of a deleted team stays. */
export async function forgetRemovals({ env }: Pick<Work, "env">, teamId: string): Promise<void> {
  for (const kind of REMOVAL_KINDS.filter((kind) => kind !== "team")) {
    await deleteObjectsUnder(env, `${PREFIX}${teamId}/${kind}/`)
  }
}
