import { applyD1Migrations } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createInstallation, makeTeamElsewhere } from "../support/databases.ts"
import {
  askFor,
  closeSource,
  forgetMoves,
  goOnAndDie,
  goOnAndStall,
  goOnTo,
  moveOf,
} from "../support/moving.ts"
import { addRowOfEach, rowsOfTeam } from "../support/rows-of-team.ts"

/** With `FAULT_CUTS=1`, every call of a move is tried; with 5, each fifth one. */
const EACH = Number(env.FAULT_CUTS || 113)
/** More than a move has. */
const MOST_CALLS = 1_000

beforeAll(() => applyD1Migrations(env.SECOND, env.TEST_MIGRATIONS))
afterAll(forgetMoves)

/** A team in the second database, with rows of every kind. Its move to the first one is asked for. */
async function beginMove() {
  await forgetMoves()
  const installation = createInstallation()
  const team = await makeTeamElsewhere()
  await addRowOfEach(env.SECOND, team.id, "a")
  const before = await rowsOfTeam(env.SECOND, team.id)
  await askFor(team.id, 2, 1)
  return { installation, team, before }
}

async function expectMoved({ installation, team, before }: Begun, said: string): Promise<void> {
  expect((await moveOf(team.id))?.phase, said).toBe("kept")
  expect(await rowsOfTeam(env.DB, team.id), said).toEqual(before)
  expect((await installation.call("GET", "/api/v1/me", team)).status, said).toBe(200)
  const made = await installation.call("POST", "/api/v1/contact-books", {
    ...team,
    body: { name: "Made after the move" },
  })
  expect(made.status, said).toBe(201)
  await env.DB.prepare("update team_moves set delete_at = 1").run()
  expect(await goOnTo(installation.env, team.id, []), said).toBeUndefined()
  expect(await rowsOfTeam(env.SECOND, team.id), said).toEqual({})
}
type Begun = Awaited<ReturnType<typeof beginMove>>

/** Tries calls of a move until `attempt` answers that it has no more. */
async function tryCalls(attempt: (after: number) => Promise<boolean>): Promise<number> {
  let tried = 0
  for (let after = 0; after < MOST_CALLS; after += EACH, tried++) {
    if (!(await attempt(after))) break
  }
  return tried
}

it("a move whose process dies after any of its calls goes on at the second run", async () => {
  const tried = await tryCalls(async (after) => {
    const begun = await beginMove()
    let calls = after
    while (!(await goOnAndDie(begun.installation.env, () => calls-- <= 0))) {
      if ((await moveOf(begun.team.id))?.phase === "kept") return false
    }
    await goOnTo(begun.installation.env, begun.team.id)
    await expectMoved(begun, `after call ${after}`)
    return true
  })
  console.log(`${tried} of the calls of a move were its last`)
  expect(tried).toBeGreaterThanOrEqual(3)
}, 3_600_000)

const WAITS = {
  "has closed the source": async ({ installation, team }) => {
    if ((await moveOf(team.id))?.phase === "kept") return
    await closeSource(installation.env, team.id, env.SECOND).catch(() => {})
  },
  "has ended the move": ({ installation, team }) => goOnTo(installation.env, team.id),
} satisfies Record<string, (begun: Begun) => Promise<unknown>>

it.each(Object.entries(WAITS))(
  "a process that waits at any of its calls until another %s changes nothing any more",
  async (_until, goOnWithOther) => {
    const tried = await tryCalls(async (after) => {
      const begun = await beginMove()
      const { installation, team } = begun
      let calls = after
      const stall = () => goOnAndStall(installation.env, () => calls-- <= 0)
      let resume = await stall()
      while (!resume) {
        if ((await moveOf(team.id))?.phase === "kept") return false
        resume = await stall()
      }
      await goOnWithOther(begun)
      await resume()
      await goOnTo(installation.env, team.id)
      expect(await rowsOfTeam(env.SECOND, team.id)).toEqual({})
      await expectMoved(begun, `stalled before call ${after}`)
      return true
    })
    console.log(`a process stalled at ${tried} of the calls of a move`)
    expect(tried).toBeGreaterThanOrEqual(3)
  },
  3_600_000,
)
