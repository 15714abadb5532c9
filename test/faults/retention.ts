import { env } from "cloudflare:workers"
import { countsOfDays, countsOfRun } from "./checks/follow-ups.ts"
import { rows } from "./checks/rows.ts"
import { minute } from "./packs.ts"
import type { Member } from "./scenario.ts"
import type { World } from "./world.ts"

const DAY_MS = 86_400_000
const FAULTY_MINUTES = 3
/** An email that waited is purged within a day after it ended, so a purge begins again each day. */
const CALM_DAYS = 2

/** In the order of their retention: after so many days, these tables and objects have nothing of a team. */
const EXPIRED = [
  { days: 31, tables: ["email_contents", "packs", "sandbox_messages", "events", "deliveries"] },
  { days: 91, tables: ["emails", "email_recipients", "email_tags", "email_events"] },
]
const OBJECTS = ["content", "packs", "sandbox"]

/** Purges go on while faults happen, until all has expired. Counters stay as they were. */
export async function expire(world: World, members: readonly Member[]): Promise<string[]> {
  const wrongs: string[] = []
  const counted = await countAll(members)
  const startedAt = world.clock.now()
  for (const { days, tables } of EXPIRED) {
    world.clock.advance(startedAt + days * DAY_MS - world.clock.now())
    await purge(world)
    for (const member of members) wrongs.push(...(await findLeft(world, member, tables)))
  }
  const counts = await countAll(members)
  if (counts !== counted) wrongs.push(`after the purge, a team counts ${counts}, before ${counted}`)
  return wrongs
}

async function purge(world: World): Promise<void> {
  world.begin()
  for (let done = 0; done < FAULTY_MINUTES; done++) {
    await Promise.all([minute(world), minute(world)])
    await world.pass(60_000)
  }
  await world.stop()
  for (let day = 0; day < CALM_DAYS; day++) {
    world.clock.advance(DAY_MS)
    await minute(world)
    await minute(world)
  }
}

/** The process of an accept may die after the upload. The caller comes again, for another email. */
async function findLeft(world: World, { team, accepted }: Member, tables: readonly string[]) {
  const found = await Promise.all([
    ...tables.map(async (name) => {
      const [row] = await rows(`select count(*) as count from ${name} where team_id = ?`, team.id)
      return row?.count > 0 ? [`${row?.count} ${name} of ${team.id}`] : []
    }),
    ...OBJECTS.map(async (name) => {
      const { objects } = await env.CONTENT.list({ prefix: `${name}/${team.id}/` })
      return objects.map(({ key }) => key)
    }),
  ])
  const isExcused = (left: string) => {
    const [kind, , id = ""] = left.split("/")
    if (kind !== "content" || accepted.has(id)) return false
    world.excuses.count("an upload that led to no email is left to the bucket's rule")
    return true
  }
  return found
    .flat()
    .filter((left) => !isExcused(left))
    .map((left) => `left over: ${left}, expired`)
}

const countAll = async (members: readonly Member[]) =>
  JSON.stringify(
    await Promise.all(
      members.map(async ({ team, campaigns }) => [
        await countsOfDays(team.id),
        await Promise.all(campaigns.map(({ id }) => countsOfRun(id))),
      ]),
    ),
  )
