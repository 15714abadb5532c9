import { env } from "cloudflare:workers"
import { databasesOf } from "../../support/installation.ts"
import type { LeavingTeam } from "../deletion.ts"
import type { World } from "../world.ts"
import { IS_OF_SERVICE, type Row } from "./rows.ts"

/** That the team was deleted: a database that is restored to an earlier time deletes it again. */
const NOTES = "removals/"

/**
 * A process that begins after the deletion hands over no mail of the team and calls none of its
 * webhooks. No row or object of the team stays.
 */
export async function checkDeletion(
  { provider, journal, receivers }: World,
  { member: { team, accepted, webhooks, stream }, endedAt }: LeavingTeam,
): Promise<string[]> {
  await stream.close()
  const handovers = provider?.acceptances ?? journal.handovers
  const isLate = ({ invocation }: { invocation: { number: number } }) => invocation.number > endedAt
  const { objects } = await env.CONTENT.list()
  const owners = [team.id, ...accepted.keys()]
  return [
    ...(Number.isNaN(endedAt) ? [`${team.id} was not deleted`] : []),
    ...handovers
      .filter(({ sender }) => sender.endsWith(team.domain))
      .filter(isLate)
      .map((one) => `${one.emailId} of a deleted team was sent: ${one.invocation.label}`),
    ...receivers.heard
      .filter(({ url }) => webhooks.has(url))
      .filter(isLate)
      .map((one) => `${one.eventId} of a deleted team was told: ${one.invocation.label}`),
    ...(await findRows(team.id)),
    ...objects
      .filter(({ key }) => !key.startsWith(NOTES) && owners.some((id) => key.includes(id)))
      .map(({ key }) => `${key} of a deleted team is left over`),
  ]
}

/** Rows of a deleted team. */
export async function findRows(teamId: string): Promise<string[]> {
  const counts = await Promise.all(
    databasesOf(env).map(async (db) => {
      const { results: tables } = await db
        .prepare(
          `select name, instr(sql, 'team_id') > 0 as isOfTeam from sqlite_master
           where ${IS_OF_SERVICE}
             and (instr(sql, 'team_id') > 0 or name in ('teams', 'deleted_teams'))`,
        )
        .all<{ name: string; isOfTeam: number }>()
      const rows = await db.batch<Row>(
        tables.map(({ name, isOfTeam }) =>
          db
            .prepare(
              `select count(*) as count from "${name}" where ${isOfTeam ? "team_id" : "id"} = ?`,
            )
            .bind(teamId),
        ),
      )
      return tables.map(({ name }, index) => ({ name, count: rows[index]?.results[0]?.count }))
    }),
  )
  return counts
    .flat()
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name} of a deleted team are left over`)
}
