import {
  DIRECTORY,
  databaseEnv,
  databaseNumbers,
} from "../../../src/worker/platform/db/databases.ts"
import { workerEnv } from "../../support/installation.ts"
import { ask } from "../calls.ts"
import { homeOf } from "../homes.ts"
import type { Member } from "../scenario.ts"
import type { World } from "../world.ts"
import { IS_OF_SERVICE, type Row, rows } from "./rows.ts"

/** The directory has these of every team, wherever the team is. */
const OF_THE_DIRECTORY = [
  "team_databases",
  "key_teams",
  "domain_claims",
  "members",
  "invitations",
  "key_rotations",
]

/** The key of before finds what is the team's, and nothing that is the other team's. */
export async function checkApart(world: World, members: readonly Member[]): Promise<string[]> {
  const wrongs: string[] = []
  for (const { team } of members) {
    for (const other of members) {
      const wanted = other.team.id === team.id ? 200 : 404
      for (const path of pathsOf(other)) {
        const reply = await ask(world, team, "GET", path)
        if (reply?.status !== wanted) wrongs.push(`${team.id} reads ${path}: ${reply?.status}`)
      }
    }
    wrongs.push(...(await findRowsElsewhere(team.id)))
  }
  return wrongs
}

const pathsOf = ({ accepted, webhooks, campaigns, importedTo }: Member): string[] => [
  ...[...accepted.keys()].map((id) => `/emails/${id}`),
  ...[...webhooks.values()].map(({ id }) => `/webhooks/${id}`),
  ...campaigns.map(({ id }) => `/campaigns/${id}`),
  `/contact-books/${importedTo}`,
]

async function findRowsElsewhere(teamId: string): Promise<string[]> {
  const wrongs: string[] = []
  const installation = workerEnv()
  for (const number of databaseNumbers(installation)) {
    const db = databaseEnv(installation, number).DB
    if (db === homeOf(teamId)) continue
    const { results: tables } = await db
      .prepare(
        `select name from sqlite_master where ${IS_OF_SERVICE} and instr(sql, 'team_id') > 0`,
      )
      .all<{ name: string }>()
    for (const { name } of tables) {
      if (number === DIRECTORY && OF_THE_DIRECTORY.includes(name)) continue
      const row = await db
        .prepare(`select count(*) as count from "${name}" where team_id = ?`)
        .bind(teamId)
        .first<Row>()
      if (row?.count > 0) wrongs.push(`database ${number} has ${row?.count} ${name} of ${teamId}`)
    }
  }
  return wrongs
}

/** A move is asked for again where it was taken back, and leaves no fence. */
export async function checkMoves({ hasMove, moves }: World): Promise<string[]> {
  const fences = await rows("select team_id from team_fences")
  return [
    ...(hasMove && moves.done === 0 ? ["the team was not moved"] : []),
    ...fences.map(({ team_id }) => `the fence of ${team_id} stands`),
  ]
}
