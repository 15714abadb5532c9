import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import type { Env } from "../../src/worker/platform/env.ts"
import { createWork } from "../../src/worker/platform/work.ts"
import {
  askMove,
  type MoveProgress,
  selectMove,
} from "../../src/worker/teams/moving/request-sql.ts"
import { advanceMoves } from "../../src/worker/teams/moving/sweep.ts"
import { runIn } from "./rows-of-team.ts"

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

/** The process of a dead mover holds the move until its time is over. */
export const endLease = () => env.DB.prepare("update team_moves set held_until = 0").run()

/** Goes on until the process dies, before the call of a database at which `dies` says so. */
export async function goOnAndDie(installation: Env, dies: () => boolean | Promise<boolean>) {
  let isDead = false
  const watched = watchCalls(installation, async () => {
    isDead ||= await dies()
    if (isDead) throw new Error("The process is dead")
  })
  await goOn(watched).catch(() => {})
  await endLease()
  return isDead
}

/**
 * Goes on until the process stalls, before the call of a database at which `stalls` says so. By then
 * its time is over. Answers null if it ends before, or what lets it go on.
 */
export async function goOnAndStall(
  installation: Env,
  stalls: (sql: string) => boolean,
): Promise<null | (() => Promise<void>)> {
  const stalled = Promise.withResolvers<"stalled">()
  const wait = Promise.withResolvers<void>()
  let isStalled = false
  const watched = watchCalls(installation, (sql) => {
    isStalled ||= stalls(sql)
    if (!isStalled) return Promise.resolve()
    stalled.resolve("stalled")
    return wait.promise
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

type Before = (sql: string) => Promise<void>

/** The same installation, where `before` comes before each call of a database. */
function watchCalls(installation: Env, before: Before): Env {
  const databases = Object.entries(installation)
    .filter(([name]) => /^DB(_\d+)?$/.test(name))
    .map(([name, db]) => [name, watchDatabase(db as D1Database, before)])
  return { ...installation, ...Object.fromEntries(databases) }
}

const CALLS = ["run", "all", "raw", "first"] as const

function watchDatabase(d1: D1Database, before: Before): D1Database {
  const texts = new WeakMap<D1PreparedStatement, string>()
  const watch = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
    const own = Object.getPrototypeOf(statement)
    const calls = CALLS.map((name) => [
      name,
      async (...args: unknown[]) => {
        await before(text)
        return own[name].apply(statement, args)
      },
    ])
    texts.set(statement, text)
    return Object.assign(statement, {
      ...Object.fromEntries(calls),
      bind: (...values: unknown[]) => watch(own.bind.apply(statement, values), text),
    })
  }
  return {
    prepare: (text: string) => watch(d1.prepare(text), text),
    batch: async (statements: D1PreparedStatement[]) => {
      await before(statements.map((one) => texts.get(one)).join("; "))
      return d1.batch(statements)
    },
  } as D1Database
}

/** Moves of earlier tests would go on, too. */
export async function forgetMoves(): Promise<void> {
  await env.DB.prepare("delete from team_moves").run()
  for (const db of [env.DB, env.SECOND]) await db.prepare("delete from team_fences").run()
}
