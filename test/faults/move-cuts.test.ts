import { applyD1Migrations } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createInstallation, makeTeamElsewhere } from "../support/databases.ts"
import { askFor, forgetMoves, goOnAndDie, goOnTo, moveOf } from "../support/moving.ts"
import { addRowOfEach, rowsOfTeam } from "../support/rows-of-team.ts"

/** `FAULT_CUTS=1` tries every call. Another number tries each so manyth. */
const EACH = Number(env.FAULT_CUTS || 211)
/** More than a move has. */
const MOST_CALLS = 2_000

beforeAll(() => applyD1Migrations(env.SECOND, env.TEST_MIGRATIONS))
afterAll(forgetMoves)

/** Answers null if the move has fewer calls. */
async function cut(after: number): Promise<null | { before: object; there: object; left: object }> {
  await forgetMoves()
  const installation = createInstallation()
  const team = await makeTeamElsewhere()
  await addRowOfEach(env.SECOND, team.id, "a")
  const before = await rowsOfTeam(env.SECOND, team.id)
  await askFor(team.id, 2, 1)
  let calls = after
  while (!(await goOnAndDie(installation.env, () => calls-- <= 0))) {
    if ((await moveOf(team.id))?.phase === "kept") return null
  }
  const { phase } = (await goOnTo(installation.env, team.id)) ?? {}
  expect(phase, `a second run after call ${after}`).toBe("kept")
  const there = await rowsOfTeam(env.DB, team.id)
  expect((await installation.call("GET", "/api/v1/me", team)).status).toBe(200)
  await env.DB.prepare("update team_moves set delete_at = 1").run()
  expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
  return { before, there, left: await rowsOfTeam(env.SECOND, team.id) }
}

it("a move whose process dies after any of its calls goes on at the second run", async () => {
  let cuts = 0
  for (let after = 0; after < MOST_CALLS; after += EACH, cuts++) {
    const rows = await cut(after)
    if (!rows) break
    expect(rows.there, `after call ${after}`).toEqual(rows.before)
    expect(rows.left, `after call ${after}`).toEqual({})
  }
  console.log(`${cuts} of the calls of a move were its last`)
  expect(cuts).toBeGreaterThanOrEqual(3)
}, 3_600_000)
