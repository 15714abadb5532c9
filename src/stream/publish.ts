import { eq, type SQL, sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { describeError } from "../http/errors.ts"
import type { ToldChange } from "./history.ts"
import { type KeptChanges, unpublishedChanges } from "./table.ts"

/** A change as the live stream tells it: the object itself is fetched separately. */
export interface Change extends ToldChange {
  teamId: string
}

const RETRY_DELAYS_MS = [50, 250, 1_000]
const REPUBLISHED_A_SWEEP = 100

/**
 * Tells the teams' streams, after the commit: one call per team. It never fails its caller: what
 * an object cannot be told after a few tries is kept, and told by the minute's sweep.
 */
export async function publishChanges(work: Work, changes: readonly Change[]): Promise<void> {
  const byTeam = Map.groupBy(changes, ({ teamId }) => teamId)
  await Promise.all(
    [...byTeam].map(async ([teamId, members]) => {
      const told = members.map(({ type, id }) => ({ type, id }))
      try {
        await retried(() => publish(work, teamId, told))
      } catch (error) {
        logFailure(error)
        await work.db.insert(unpublishedChanges).values({ teamId, changes: told }).catch(logFailure)
      }
    }),
  )
}

/**
 * For the batch of a change that no queue's message repeats, if `condition` holds: the change is
 * kept until it is told, by `publishKept` or, if the caller dies, by the minute's sweep. They may
 * tell it both: by its own id neither forgets another change.
 */
export const keepChange = (work: Work, { teamId, ...change }: Change, condition: SQL) =>
  work.db
    .insert(unpublishedChanges)
    .select(sql`select random() >> 10, ${teamId}, ${JSON.stringify([change])} where ${condition}`)
    .returning()

/** Tells, after the commit, what `keepChange` kept. */
export async function publishKept(work: Work, kept: readonly KeptChanges[]): Promise<void> {
  for (const one of kept) await tell(work, one, retried)
}

/** Tells what an object could not be told at its time. */
export async function publishLeftovers(work: Work): Promise<void> {
  const leftovers = await work.db
    .select()
    .from(unpublishedChanges)
    .orderBy(unpublishedChanges.id)
    .limit(REPUBLISHED_A_SWEEP)
  for (const leftover of leftovers) await tell(work, leftover)
}

async function tell(
  work: Work,
  { id, teamId, changes }: KeptChanges,
  trying = (attempt: () => Promise<void>) => attempt(),
): Promise<void> {
  try {
    await trying(() => publish(work, teamId, changes))
    await work.db.delete(unpublishedChanges).where(eq(unpublishedChanges.id, id))
  } catch (error) {
    logFailure(error)
  }
}

/** A stub is of no use after an error: each call takes its own. */
const publish = async (work: Work, teamId: string, changes: ToldChange[]) => {
  await work.env.TEAM_STREAM.getByName(teamId).publish(changes)
}

async function retried(attempt: () => Promise<void>): Promise<void> {
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await attempt()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, delay))
    }
  }
  await attempt()
}

const logFailure = (error: unknown) =>
  console.error(JSON.stringify({ level: "error", stream: true, ...describeError(error) }))
