import { env } from "cloudflare:workers"
import { loadContent } from "../../src/worker/emails/content.ts"
import type { EmailRow } from "../../src/worker/emails/table.ts"
import type { Stored } from "../../src/worker/platform/db/overflow.ts"
import { SIMULATOR_HOST } from "../../src/worker/providers/sandbox/mailboxes.ts"
import { ERASED_HOST } from "../../src/worker/suppressions/erased.ts"
import { sessionOf } from "../support/session.ts"
import { callAsMember } from "./calls.ts"
import { rows } from "./checks/rows.ts"
import type { Member } from "./scenario.ts"
import type { World } from "./world.ts"

const HOUR_MS = 3_600_000
const FAULTY_SWEEPS = 4
export const ERASED = `success+single-0@${SIMULATOR_HOST}`

/** Moves contents to packs in sweeps side by side, beside an erasure, while faults happen. */
export async function moveToPacks(world: World, [first]: [Member, Member]): Promise<void> {
  world.clock.advance(2.5 * HOUR_MS)
  const cookie = await sessionOf(first.team.id, "admin")
  const erase = () => callAsMember(world, cookie, "POST", "/erasures", { email: ERASED })
  world.begin()
  for (let sweep = 0; sweep < FAULTY_SWEEPS; sweep++) {
    if (sweep === 1) await world.actions.start(erase)
    await Promise.all([minute(world), minute(world)])
    await world.pass(60_000)
  }
  await world.stop()
  for (let sweep = 0; sweep < 2 || world.actions.areWaiting(); sweep++) {
    await minute(world)
    await world.pass(2 * HOUR_MS)
    await minute(world)
  }
}

/** Further databases get a message. */
export async function minute(world: World): Promise<void> {
  await world.cron()
  while (await world.consume("MINUTES"));
}

/** Each content is in its row or in a pack, and each object in R2 has a row. */
export async function checkPacks(members: readonly Member[]): Promise<string[]> {
  const wrongs = await Promise.all(members.map(checkTeam))
  return wrongs.flat()
}

async function checkTeam({ team }: Member): Promise<string[]> {
  const emails = await rows(
    `select e.*, c.email_id is not null as has_row, c.body, c.object_key from emails e
     left join email_contents c on c.team_id = e.team_id and c.email_id = e.id
     where e.team_id = ? and e.campaign_id is null`,
    team.id,
  )
  const erasures = await rows("select * from erasures where team_id = ?", team.id)
  const packs = await rows("select * from packs where team_id = ?", team.id)
  const { objects } = await env.CONTENT.list({ prefix: `packs/${team.id}/` })
  const keys = new Set(packs.map(({ object_key }) => object_key))
  const wrong = await Promise.all(
    emails.map(async (row) => {
      const isErased = String(row.recipients).includes(ERASED_HOST)
      const content = await loadContent(env, storedOf(row), placeOf(row))
      if (row.has_row && row.pack) return `${row.id} has its content twice`
      if (isErased) return content ? `${row.id} is erased and has its content` : []
      const isRight = content?.text === "Hi" || String(row.subject) === "large"
      return isRight ? [] : `${row.id} is ${row.status} and lost its content`
    }),
  )
  return [
    ...wrong.flat(),
    ...erasures.map(({ email }) => `${email} is not erased`),
    ...packs
      .filter(({ open_since }) => open_since !== null)
      .map(({ object_key }) => `${object_key} is open`),
    ...objects.filter(({ key }) => !keys.has(key)).map(({ key }) => `${key} has no row`),
    ...(packs.length === objects.length
      ? []
      : [`${packs.length} packs, ${objects.length} objects`]),
    ...(emails.some(({ pack }) => pack) ? [] : [`No content of ${team.id} was moved`]),
  ]
}

type Row = Awaited<ReturnType<typeof rows>>[number]

const storedOf = (row: Row): Stored | undefined =>
  row.has_row ? { body: row.body, objectKey: row.object_key } : undefined

const placeOf = (
  row: Row,
): Pick<EmailRow, "teamId" | "id" | "pack" | "packOffset" | "packLength"> => ({
  teamId: row.team_id,
  id: row.id,
  pack: row.pack,
  packOffset: row.pack_offset,
  packLength: row.pack_length,
})
