import type { Env, Work } from "../env.ts"
import { logError } from "../lib/log.ts"
import type { Announcement } from "./history.ts"
import { type KeptRow, toKept } from "./outbox.ts"
import type { TeamStream } from "./team-stream.ts"

const RETRY_DELAYS_MS = [50, 250, 1_000]

/** After this time the sweep takes over. */
export const TOLD_WITHIN_MS = 5_000

/**
 * Publishes, after the commit, the rows of `keepChanges`: one call to the stream of each team. It
 * does not throw, and ends within seconds: the minute's sweep publishes the rest.
 */
export async function publishKept(work: Work, kept: readonly KeptRow[]): Promise<void> {
  await Promise.all(
    kept.map(toKept).map(({ teamId, ...announcement }) =>
      within(
        TOLD_WITHIN_MS,
        retried(() => announce(work.env, teamId, [announcement])),
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

async function retried(attempt: () => Promise<void>): Promise<void> {
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await attempt()
    } catch {
      await scheduler.wait(delay)
    }
  }
  await attempt()
}

export const logFailure = (error: unknown) => logError(error, { stream: true })
