import { applyD1Migrations, createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { newId } from "../../../../src/lib/id.ts"
import { createWork } from "../../../../src/worker/platform/work.ts"
import { moveAuditEntries } from "../../../../src/worker/teams/audit/move-entries.ts"
import {
  askCancel,
  askDeletionOfCopies,
  TAKE_BACK_MOVES,
} from "../../../../src/worker/teams/moving/request.sql.ts"
import { MOVED_TABLES } from "../../../../src/worker/teams/moving/tables.ts"
import {
  createInstallation,
  type Installation,
  makeTeamElsewhere,
} from "../../../support/databases.ts"
import {
  askFor,
  closeSource,
  endLease,
  fencesIn,
  forgetMoves,
  goOn,
  goOnAndLose,
  goOnAndStall,
  goOnTo,
  goOnUntil,
  moveOf,
} from "../../../support/moving.ts"
import { addRowOfEach, rowsOfTeam, runIn } from "../../../support/rows-of-team.ts"
import { addPerson, createSession } from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"
import { watchedDb } from "../../../support/watched-db.ts"

let installation: Installation
beforeAll(() => applyD1Migrations(env.SECOND, env.TEST_MIGRATIONS))
beforeEach(async () => {
  installation = createInstallation()
  await forgetMoves()
})
afterAll(forgetMoves)

type Elsewhere = Pick<
  Awaited<ReturnType<typeof makeTeamElsewhere>>,
  "id" | "domain" | "authorization"
>

const triggersIn = async (db: D1Database) =>
  (
    await db
      .prepare("select name from sqlite_master where type = 'trigger' and name like 'moving%'")
      .all()
  ).results.length

const close = (team: Elsewhere, source = env.SECOND) =>
  closeSource(installation.env, team.id, source)

const send = ({ authorization, domain }: Elsewhere) =>
  installation.call("POST", "/api/v1/emails", {
    authorization,
    body: {
      from: `a@${domain}`,
      to: "success@simulator.amazonses.com",
      subject: "Hello",
      text: "Hi",
    },
  })

async function makeTeamIn(database: number): Promise<Elsewhere> {
  if (database === 2) return makeTeamElsewhere()
  const { id, domain, api } = await makeTeam()
  return { id, domain, authorization: `Bearer ${api.key}` }
}

async function remove({ id, domain }: Elsewhere, database: number) {
  const cookie = await createSession(await addPerson(id, "owner"))
  return installation.call("POST", "/dashboard/api/team/delete", {
    ...{ cookie, "x-team-id": id },
    body: { name: database === 2 ? "Elsewhere" : `Team ${domain}` },
  })
}

/** The fence that is left in the source falls, and the move is forgotten. */
async function endMove(teamId: string) {
  await env.DB.prepare("update team_moves set delete_at = 1").run()
  expect(await goOnTo(installation.env, teamId, [])).toBeUndefined()
}

describe("the rows of a team that moves", () => {
  it("are in the target, and gone from the source; and back", async () => {
    const team = await makeTeamElsewhere()
    await addRowOfEach(env.SECOND, team.id, "a")
    await addRowOfEach(env.SECOND, team.id, "bb")
    const before = await rowsOfTeam(env.SECOND, team.id)
    expect(Object.keys(before).length).toBeGreaterThan(35)

    await askFor(team.id, 2, 1)
    await goOnTo(installation.env, team.id)
    expect(await rowsOfTeam(env.DB, team.id)).toEqual(before)
    expect(await rowsOfTeam(env.SECOND, team.id)).toEqual({})

    expect((await askFor(team.id, 1, 2)).results).toHaveLength(1)
    await goOn(installation.env)
    const back = await goOnTo(installation.env, team.id)
    expect(back).toMatchObject({ source: 1, target: 2 })
    expect(await rowsOfTeam(env.SECOND, team.id)).toEqual(before)
    const place = await env.DB.prepare("select database from team_databases where team_id = ?")
      .bind(team.id)
      .first()
    expect(place).toEqual({ database: 2 })
    expect((await send(team)).status).toBe(201)
  })

  it("are copied in pages", async () => {
    const team = await makeTeamElsewhere()
    await env.SECOND.prepare(
      "insert into stats_days (team_id, day) select ?, 'day ' || value from json_each(?)",
    )
      .bind(team.id, JSON.stringify([...Array(2_001).keys()]))
      .run()
    await askFor(team.id, 2, 1)
    await goOnTo(installation.env, team.id)
    expect((await rowsOfTeam(env.DB, team.id)).stats_days).toHaveLength(2_001)
  })
})

describe("the source of a move", () => {
  it("takes no row of a late call for an hour, and then loses its fence and triggers", async () => {
    const team = await makeTeamElsewhere()
    await askFor(team.id, 2, 1)
    await goOnTo(installation.env, team.id)
    const late = () =>
      env.SECOND.prepare("insert into stats_days (team_id, day) values (?, '2026-01-01')")
        .bind(team.id)
        .run()
    await expect(late()).rejects.toThrow("the team is moving")
    await goOn(installation.env)
    expect((await moveOf(team.id))?.phase).toBe("kept")
    await endMove(team.id)
    expect(await fencesIn(env.SECOND)).toEqual([])
    expect(await triggersIn(env.SECOND)).toBe(0)
    expect((await installation.call("GET", "/api/v1/me", team)).status).toBe(200)
  })

  it.each(["kept", "forgotten"])(
    "that is restored to a time before loses what it has of the team again, whose move is %s",
    async (earlier) => {
      const [team, other] = [await makeTeamElsewhere(), await makeTeamElsewhere()]
      await addRowOfEach(env.SECOND, team.id, "a")
      const before = await rowsOfTeam(env.SECOND, team.id)
      await askFor(team.id, 2, 1)
      await goOnTo(installation.env, team.id)
      if (earlier === "forgotten") await endMove(team.id)
      await restoreSecond(before)
      expect(await rowsOfTeam(env.SECOND, team.id)).toEqual(before)

      const ids = [other.id, team.id, newId("team")]
      const ask = askDeletionOfCopies(ids, { database: 2, now: Date.now() })
      const { results } = await runIn(env.DB, ask)
      expect(results.map(({ teamId }) => teamId)).toEqual([team.id])
      expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
      expect(await rowsOfTeam(env.SECOND, team.id)).toEqual({})
      expect(await rowsOfTeam(env.DB, team.id)).toEqual(before)
      for (const one of [team, other]) expect((await send(one)).status).toBe(201)
    },
  )

  /** The second database as it was, with these rows and without a fence. */
  async function restoreSecond(rows: Awaited<ReturnType<typeof rowsOfTeam>>) {
    await env.SECOND.prepare("delete from team_fences").run()
    for (const { name, columns } of MOVED_TABLES) {
      for (const row of rows[name] ?? []) {
        await env.SECOND.prepare(
          `insert into ${name} (${columns}) values (${columns.map(() => "?")})`,
        )
          .bind(...columns.map((column) => row[column]))
          .run()
      }
    }
  }
})

describe("a move that is taken back", () => {
  it("leaves nothing in the target, and the team works where it was", async () => {
    const team = await makeTeamElsewhere()
    await addRowOfEach(env.SECOND, team.id, "a")
    const before = await rowsOfTeam(env.SECOND, team.id)
    await askFor(team.id, 2, 1)
    await close(team)
    expect((await send(team)).status).toBe(503)
    expect((await runIn(env.DB, askCancel(team.id))).results).toHaveLength(1)
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
    await moveAuditEntries(createWork(installation.env, createExecutionContext()))
    expect(await rowsOfTeam(env.DB, team.id)).toEqual({})
    expect(await rowsOfTeam(env.SECOND, team.id)).toEqual(before)
    expect(await fencesIn(env.SECOND)).toEqual([])
    expect((await send(team)).status).toBe(201)
  })

  it("by a restore leaves nothing in the target, and one that has ended stays", async () => {
    const [team, other] = [await makeTeamElsewhere(), await makeTeamElsewhere()]
    await askFor(other.id, 2, 1)
    await goOnTo(installation.env, other.id)
    await askFor(team.id, 2, 1)
    await close(team)
    await env.DB.prepare(TAKE_BACK_MOVES).run()
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
    expect(await rowsOfTeam(env.DB, team.id)).toEqual({})
    expect((await send(team)).status).toBe(201)
    expect((await moveOf(other.id))?.phase).toBe("kept")
  })

  it("is not possible after the switch", async () => {
    const team = await makeTeamElsewhere()
    await askFor(team.id, 2, 1)
    await goOnTo(installation.env, team.id)
    expect((await runIn(env.DB, askCancel(team.id))).results).toEqual([])
  })

  it("is one whose counts differ", async () => {
    const [team, other] = [await makeTeamElsewhere(), await makeTeam()]
    const hash = "select secret_hash from api_keys where team_id = ?"
    const taken = await env.DB.prepare(hash).bind(other.id).first<{ secret_hash: string }>()
    await env.SECOND.prepare("update api_keys set secret_hash = ? where team_id = ?")
      .bind(taken?.secret_hash, team.id)
      .run()
    await askFor(team.id, 2, 1)
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
    expect(await rowsOfTeam(env.DB, team.id)).toEqual({})
    expect(await fencesIn(env.SECOND)).toEqual([])
    const { results } = await env.DB.prepare(hash).bind(other.id).all()
    expect(results).toContainEqual(taken)
  })

  it.each(["fenced", "copying"])(
    "is one that an earlier version began, which is %s",
    async (phase) => {
      const team = await makeTeamElsewhere()
      await askFor(team.id, 2, 1)
      await env.DB.prepare("update team_moves set phase = ?, position = ?")
        .bind(phase, '{"table":3,"after":null}')
        .run()
      const log = "insert into team_fences values (?, 'log', 'earlier')"
      await env.SECOND.prepare(log).bind(team.id).run()
      expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
      expect(await fencesIn(env.SECOND)).toEqual([])
      expect((await send(team)).status).toBe(201)
    },
  )

  it("is one whose target does not answer for a minute: its team goes on", async () => {
    const team = await makeTeamIn(1)
    await askFor(team.id, 1, 2)
    await close(team, env.DB)
    await env.DB.prepare(`update team_moves set position = '{"table":0,"after":null,"at":1}'`).run()
    const DB_2 = watchedDb(env.SECOND, () => Promise.reject(new Error("No answer")))
    for (let tries = 0; tries < 2; tries++) {
      await goOn({ ...installation.env, DB_2 })
      await endLease()
    }
    expect(await fencesIn(env.DB)).toEqual([])
    expect((await send(team)).status).toBe(201)
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
    expect(await rowsOfTeam(env.SECOND, team.id)).toEqual({})
  })
})

describe("a team that is deleted", () => {
  it("while its mail in flight ends is deleted, and nothing is copied", async () => {
    const team = await makeTeamElsewhere()
    await askFor(team.id, 2, 1)
    const isDraining = async () => (await fencesIn(env.SECOND)).length > 0
    await goOnUntil(installation.env, isDraining)
    expect((await remove(team, 2)).status).toBe(202)
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
    // The directory's log has the entry of the deletion.
    const { audit_log: _, ...copies } = await rowsOfTeam(env.DB, team.id)
    expect(copies).toEqual({})
  })

  it.each([
    [1, 2],
    [2, 1],
  ])(
    "in the target, from %i to %i, while its source is deleted, is gone from both",
    async (source, target) => {
      const team = await makeTeamIn(source)
      await askFor(team.id, source, target)
      const isOpened = async () => ((await moveOf(team.id))?.openedAt ?? null) !== null
      await goOnUntil(installation.env, isOpened)
      expect((await remove(team, source)).status).toBe(202)
      expect(await goOnTo(installation.env, team.id)).toMatchObject({ phase: "kept" })
      await endMove(team.id)
      const { audit_log: _, ...left } = await rowsOfTeam(
        source === 1 ? env.DB : env.SECOND,
        team.id,
      )
      expect(left).toEqual({})
    },
  )

  it("behind the fence answers 503", async () => {
    const team = await makeTeamElsewhere()
    await askFor(team.id, 2, 1)
    await close(team)
    expect((await remove(team, 2)).status).toBe(503)
    await goOnTo(installation.env, team.id)
    expect((await send(team)).status).toBe(201)
  })
})

describe("a process that waited while another went on with its move", () => {
  it.each([
    ["take over the fences", "set held_by", 1],
    ["raise the fence of the target", "insert into team_fences", 1],
    ["raise the fence of the source", "insert into team_fences", 2],
    ["close the source", "insert into team_fences", 3],
    ["copy a page", "insert or ignore into domains", 1],
    ["switch", "insert into team_databases", 1],
    ["delete the source's rows", "delete from domains", 1],
  ])("to %s changes nothing any more", async (_what, sql, nth) => {
    const team = await makeTeamIn(1)
    await addRowOfEach(env.DB, team.id, "a")
    const before = await rowsOfTeam(env.DB, team.id)
    await askFor(team.id, 1, 2)
    let met = 0
    const stall = () =>
      goOnAndStall(installation.env, (next) => next.includes(sql) && ++met === nth)
    const resume = (await stall()) ?? (await stall()) ?? (await stall())
    expect(resume).not.toBeNull()
    await goOnTo(installation.env, team.id)
    await resume?.()
    expect(await goOnTo(installation.env, team.id)).toMatchObject({ phase: "kept" })
    expect(await rowsOfTeam(env.SECOND, team.id)).toEqual(before)
    expect(Object.keys(await rowsOfTeam(env.DB, team.id))).toEqual(["audit_log"])
    expect(await fencesIn(env.SECOND)).toEqual([])
    expect((await send(team)).status).toBe(201)
  })
})

describe("a move whose call is answered late, or not at all", () => {
  it.each([
    [2, 1],
    [1, 2],
  ])("from %i to %i stays switched, however long it took", async (source, target) => {
    const team = await makeTeamIn(source)
    await askFor(team.id, source, target)
    await close(team, source === 1 ? env.DB : env.SECOND)
    const filled = Object.keys(await rowsOfTeam(source === 1 ? env.DB : env.SECOND, team.id))
    const end = MOVED_TABLES.findLastIndex(({ name }) => filled.includes(name)) + 1
    const last = `{"table":${end},"after":null,"at":1}`
    await goOnUntil(installation.env, async () => {
      const move = await env.DB.prepare("select position ->> 'table' as n from team_moves").first()
      return move?.n === end
    })
    await env.DB.prepare("update team_moves set position = ?").bind(last).run()
    expect(await goOnAndLose(installation.env, "set phase = 'switched'")).toBe(true)
    expect(await goOnTo(installation.env, team.id)).toMatchObject({ phase: "kept" })
    expect((await send(team)).status).toBe(201)
  })

  it("goes on to the database that is asked for while its fence is taken down", async () => {
    const team = await makeTeamElsewhere()
    await askFor(team.id, 2, 1)
    await goOnTo(installation.env, team.id)
    await env.DB.prepare("update team_moves set delete_at = 0").run()
    const resume = await goOnAndStall(installation.env, (sql) =>
      sql.startsWith('delete from "team_moves"'),
    )
    expect((await askFor(team.id, 1, 2)).results).toHaveLength(1)
    await resume?.()
    expect(await goOnTo(installation.env, team.id)).toMatchObject({ source: 1, target: 2 })
    expect((await send(team)).status).toBe(201)
  })
})

it("a fence that a process left behind after the move is taken down by the sweep", async () => {
  const team = await makeTeamElsewhere()
  await askFor(team.id, 2, 1)
  await goOnTo(installation.env, team.id)
  await env.DB.prepare("insert into team_fences values (?, 'closed', 'a process that died')")
    .bind(team.id)
    .run()
  await installation.minute()
  expect(await fencesIn(env.DB)).toEqual([])
  expect(await fencesIn(env.SECOND)).toEqual([{ team_id: team.id, mode: "left" }])
  expect((await send(team)).status).toBe(201)
})
