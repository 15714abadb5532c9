import { eq } from "drizzle-orm"
import type { Work } from "../env.ts"
import { describeError } from "../http/errors.ts"
import type { ToldChange } from "./history.ts"
import { unpublishedChanges } from "./table.ts"

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

/** Tells what an object could not be told at its time, oldest first. */
export async function publishLeftovers(work: Work): Promise<void> {
  const leftovers = await work.db
    .select()
    .from(unpublishedChanges)
    .orderBy(unpublishedChanges.id)
    .limit(REPUBLISHED_A_SWEEP)
  for (const { id, teamId, changes } of leftovers) {
    try {
      await publish(work, teamId, changes)
      await work.db.delete(unpublishedChanges).where(eq(unpublishedChanges.id, id))
    } catch (error) {
      logFailure(error)
    }
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
