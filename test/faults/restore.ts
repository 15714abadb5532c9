import { env } from "cloudflare:workers"
import { OPEN_STATUSES } from "../../src/worker/emails/statuses.ts"
import { databasesOf } from "../support/installation.ts"
import { ask, call } from "./calls.ts"
import { findRows } from "./checks/deletion.ts"
import { checkCounters } from "./checks/follow-ups.ts"
import { checkLeftovers } from "./checks/rest.ts"
import { IS_OF_SERVICE, rows } from "./checks/rows.ts"
import type { LeavingTeam } from "./deletion.ts"
import { ERASED, minute } from "./packs.ts"
import type { Member } from "./scenario.ts"
import { settle } from "./settle.ts"
import { restoreSnapshot, type Snapshot } from "./snapshot.ts"
import type { World } from "./world.ts"

const FAULTY_MINUTES = 5

/**
 * The databases go back to a moment among the faults. An address was erased since, a key is revoked,
 * a team may have been deleted.
 */
export async function restore(
  world: World,
  members: readonly Member[],
  snapshot: Snapshot,
  leaving?: LeavingTeam,
): Promise<string[]> {
  for (const { team } of members) await revoke(world, team)
  await restoreSnapshot(world, snapshot)
  world.begin()
  for (let done = 0; done < FAULTY_MINUTES; done++) {
    await Promise.all([minute(world), minute(world), world.consume("SENDS")])
    await world.pass(60_000)
  }
  await world.stop()
  await settle(world)
  return checkRestored(world, members, leaving)
}

/** The key that may only send. */
async function revoke(world: World, team: Member["team"]): Promise<void> {
  const [key] = await rows(
    "select id from api_keys where team_id = ? and permission = 'sending_only'",
    team.id,
  )
  await call(world, team, "DELETE", `/api-keys/${key?.id}`)
}

/** What was removed is removed again, nothing is stuck, and the counters fit what is there. */
async function checkRestored(
  world: World,
  members: readonly Member[],
  leaving?: LeavingTeam,
): Promise<string[]> {
  const open = await rows(
    "select id, status from emails where status in (select value from json_each(?))",
    JSON.stringify(OPEN_STATUSES),
  )
  const ofMembers = await Promise.all(
    members.map(async (member) => [
      ...((await isRevoked(world, member)) ? [] : [`a revoked key of ${member.team.id} works`]),
      ...(await checkCounters(member)),
    ]),
  )
  return [
    ...open.map(({ id, status }) => `${id} is ${status}: it is stuck`),
    ...ofMembers.flat(),
    ...(await findAddress(ERASED)),
    ...(await checkLeftovers()),
    ...(leaving ? await findRows(leaving.member.team.id) : []),
  ].map((wrong) => `after the restore, ${wrong}`)
}

async function isRevoked(world: World, { team }: Member): Promise<boolean> {
  const reply = await ask(world, { ...team, api: team.sendingOnly }, "GET", "/me")
  return reply?.status === 401
}

async function findAddress(address: string): Promise<string[]> {
  const found = await Promise.all(
    databasesOf(env).map(async (db) => {
      const { results } = await db
        .prepare(
          `select t.name, group_concat('instr(coalesce("' || c.name || '", ''''), ?)', ' or ') as has
           from (select name from sqlite_master where ${IS_OF_SERVICE}) t
           join pragma_table_xinfo(t.name) c group by t.name`,
        )
        .all<{ name: string; has: string }>()
      const counts = await db.batch<{ count: number }>(
        results.map(({ name, has }) =>
          db
            .prepare(`select count(*) as count from "${name}" where ${has.replaceAll("?", "?1")}`)
            .bind(address),
        ),
      )
      return results.filter((_, index) => (counts[index]?.results[0]?.count ?? 0) > 0)
    }),
  )
  return found.flat().map(({ name }) => `${name} has an erased address`)
}
