import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import type { Env } from "../../src/worker/platform/env.ts"
import { createWork } from "../../src/worker/platform/work.ts"
import {
  askMove,
  type MoveProgress,
  selectMove,
} from "../../src/worker/teams/moving/request.sql.ts"
import { advanceMoves } from "../../src/worker/teams/moving/sweep.ts"
import { runIn } from "./rows-of-team.ts"
import { type Around, watchedDb } from "./watched-db.ts"

export const askFor = (teamId: string, source: number, target: number) =>
  runIn(env.DB, askMove(teamId, { source, target, now: Date.now() }))

export const moveOf = async (teamId: string) =>
  (await runIn(env.DB, selectMove(teamId))).results[0] as MoveProgress | undefined

/** One invocation of the Worker goes on with all moves. */
export async function goOn(installation: Env): Promise<void> {
  const execution = createExecutionContext()
  await advanceMoves(createWork(installation, execution))
  await waitOnExecutionContext(execution)
}

/** Until the team is in the target, or the move is gone. */
export async function goOnTo(installation: Env, teamId: string, phases = ["kept"]) {
  for (let tries = 0; tries < 50; tries++) {
    const move = await moveOf(teamId)
    if (!move || phases.includes(move.phase)) return move
    await goOn(installation)
  }
  throw new Error(`The move stays in ${(await moveOf(teamId))?.phase}`)
}

/** A process that died, or waits, holds the move until its time is over. */
export const endLease = () => env.DB.prepare("update team_moves set held_until = 0").run()

export const fencesIn = async (db: D1Database) =>
  (await db.prepare("select team_id, mode from team_fences").all()).results

/** Goes on until nobody can write rows of the team, and no further. */
export async function closeSource(installation: Env, teamId: string, source: D1Database) {
  const isClosed = async () => {
    const row = await source
      .prepare("select 1 from team_fences where team_id = ? and mode = 'closed'")
      .bind(teamId)
      .first()
    return row !== null && (await moveOf(teamId))?.phase === "copying"
  }
  await goOnUntil(installation, isClosed)
}

/** Processes go on until one dies, before the call of a database at which `dies` says so. */
export async function goOnUntil(installation: Env, dies: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 10; tries++) if (await goOnAndDie(installation, dies)) return
  throw new Error("No process died")
}

/** Goes on until the process dies, before the call of a database at which `dies` says so. */
export async function goOnAndDie(installation: Env, dies: () => boolean | Promise<boolean>) {
  let isDead = false
  const watched = watchCalls(installation, async (_sql, call) => {
    isDead ||= await dies()
    if (isDead) throw new Error("The process is dead")
    return call()
  })
  await goOn(watched).catch(() => {})
  await endLease()
  return isDead
}

/** Goes on, while the answer of the first call with this SQL is lost. Says whether there was one. */
export async function goOnAndLose(installation: Env, sql: string): Promise<boolean> {
  let isLost = false
  const watched = watchCalls(installation, async (next, call) => {
    const answer = await call()
    if (isLost || !next.includes(sql)) return answer
    isLost = true
    throw new Error("The answer is lost")
  })
  await goOn(watched)
  await endLease()
  return isLost
}

/**
 * Goes on until the process stalls, before the call of a database at which `stalls` says so. By then
 * its time is over. Answers a function that lets it go on, or null if it ended before.
 */
export async function goOnAndStall(
  installation: Env,
  stalls: (sql: string) => boolean,
): Promise<null | (() => Promise<void>)> {
  const stalled = Promise.withResolvers<"stalled">()
  const wait = Promise.withResolvers<void>()
  let isStalled = false
  const watched = watchCalls(installation, async (sql, call) => {
    isStalled ||= stalls(sql)
    if (isStalled) {
      stalled.resolve("stalled")
      await wait.promise
    }
    return call()
  })
  const ended = goOn(watched)
  const outcome = await Promise.race([ended, stalled.promise])
  await endLease()
  if (outcome !== "stalled") return null
  return () => {
    wait.resolve()
    return ended
  }
}

/** The same installation, where `around` makes each call of a database. */
function watchCalls(installation: Env, around: Around): Env {
  const databases = Object.entries(installation)
    .filter(([name]) => /^DB(_\d+)?$/.test(name))
    .map(([name, db]) => [name, watchedDb(db as D1Database, around)])
  return { ...installation, ...Object.fromEntries(databases) }
}

/** Moves of earlier tests would go on, too. */
export async function forgetMoves(): Promise<void> {
  await env.DB.prepare("delete from team_moves").run()
  for (const db of [env.DB, env.SECOND]) await db.prepare("delete from team_fences").run()
}
