import type { Env, Work } from "../env.ts"
import { logError } from "../lib/log.ts"
import { repeat } from "../lib/repeat.ts"
import type { Announcement } from "./history.ts"
import type { TeamStream } from "./team-stream.ts"

const RETRY_DELAYS_MS = [50, 250, 1_000]

/** A row of the outbox: the changes of one team that one batch has made. */
export interface KeptRow {
  teamId: string
  id: string
  /** JSON of `ToldChange[]`. */
  changes: string
}

const toAnnouncement = ({ id, changes }: KeptRow): Announcement => ({
  id,
  changes: JSON.parse(changes),
})

/** After this time the sweep takes over. */
export const TOLD_WITHIN_MS = 5_000

/**
 * Publishes rows of the outbox: one call to the stream of each team. It does not throw, and ends
 * within seconds: the minute's sweep publishes the rest.
 */
export async function publishKept({ env }: Work, kept: readonly KeptRow[]): Promise<void> {
  await Promise.all(
    kept.map((row) =>
      within(
        TOLD_WITHIN_MS,
        repeat(RETRY_DELAYS_MS, () => announce(env, row.teamId, [toAnnouncement(row)])),
      ).catch(logFailure),
    ),
  )
}

/** A stub is broken after an error, so each call takes its own. */
export const streamOf = (env: Env, teamId: string): DurableObjectStub<TeamStream> =>
  env.TEAM_STREAM.getByName(teamId)

export async function announce(
  env: Env,
  teamId: string,
  announcements: readonly Announcement[],
): Promise<void> {
  await streamOf(env, teamId).announce(announcements)
}

/** Fails if no answer comes in time. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms`)), ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

export const logFailure = (error: unknown) => logError(error, { stream: true })
