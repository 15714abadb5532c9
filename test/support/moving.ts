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
  const watched = Object.fromEntries(
    Object.entries(installation).filter(([name]) => /^DB(_\d+)?$/.test(name)),
  ) as Record<string, D1Database>
  for (const [name, db] of Object.entries(watched)) {
    watched[name] = mortal(db, async () => {
      isDead ||= await dies()
      if (isDead) throw new Error("The process is dead")
    })
  }
  await goOn({ ...installation, ...watched } as Env).catch(() => {})
  await endLease()
  return isDead
}

const CALLS = ["run", "all", "raw", "first"] as const

function mortal(d1: D1Database, live: () => Promise<void>): D1Database {
  const watch = (statement: D1PreparedStatement): D1PreparedStatement => {
    const own = Object.getPrototypeOf(statement)
    const calls = CALLS.map((name) => [
      name,
      async (...args: unknown[]) => {
        await live()
        return own[name].apply(statement, args)
      },
    ])
    return Object.assign(statement, {
      ...Object.fromEntries(calls),
      bind: (...values: unknown[]) => watch(own.bind.apply(statement, values)),
    })
  }
  return {
    prepare: (text: string) => watch(d1.prepare(text)),
    batch: async (statements: D1PreparedStatement[]) => {
      await live()
      return d1.batch(statements)
    },
  } as D1Database
}

/** Moves of earlier tests would go on, too. */
export async function forgetMoves(): Promise<void> {
  await env.DB.prepare("delete from team_moves").run()
  for (const db of [env.DB, env.SECOND]) await db.prepare("delete from team_fences").run()
}
