import { applyD1Migrations, createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { newId } from "../../../../src/lib/id.ts"
import type { QueueMessage } from "../../../../src/worker/consume.ts"
import { reportOf } from "../../../../src/worker/emails/outcomes/report.ts"
import { createWork } from "../../../../src/worker/platform/work.ts"
import { moveAuditEntries } from "../../../../src/worker/teams/audit/move-entries.ts"
import {
  askCancel,
  askDeletionOfCopies,
  TAKE_BACK_MOVES,
} from "../../../../src/worker/teams/moving/request-sql.ts"
import { MOVED_TABLES } from "../../../../src/worker/teams/moving/tables.ts"
import {
  createInstallation,
  type Installation,
  makeTeamElsewhere,
} from "../../../support/databases.ts"
import {
  askFor,
  forgetMoves,
  goOn,
  goOnAndDie,
  goOnAndLose,
  goOnAndStall,
  goOnTo,
  moveOf,
} from "../../../support/moving.ts"
import { addRowOfEach, rowsOfTeam, runIn } from "../../../support/rows-of-team.ts"
import { addPerson, createSession } from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"

let installation: Installation
beforeAll(() => applyD1Migrations(env.SECOND, env.TEST_MIGRATIONS))
beforeEach(async () => {
  installation = createInstallation()
  await forgetMoves()
  // The batches of earlier tests have no emails, so nothing takes them.
  for (const db of [env.DB, env.SECOND]) await db.prepare("delete from campaign_batches").run()
})
afterAll(forgetMoves)

type Elsewhere = Pick<
  Awaited<ReturnType<typeof makeTeamElsewhere>>,
  "id" | "domain" | "domainId" | "authorization"
>

const triggersIn = async (db: D1Database) =>
  (await db.prepare("select name from sqlite_master where type = 'trigger'").all()).results.length

const fencesIn = async (db: D1Database) =>
  (await db.prepare("select team_id, mode from team_fences").all()).results

const send = ({ authorization, domain }: Elsewhere, more: object = {}) =>
  installation.call("POST", "/api/v1/emails", {
    authorization,
    body: {
      from: `a@${domain}`,
      to: "success@simulator.amazonses.com",
      subject: "Hello",
      text: "Hi",
      ...more,
    },
  })

async function makeTeamIn(database: number): Promise<Elsewhere> {
  if (database === 2) return makeTeamElsewhere()
  const { id, domain, domainId, api } = await makeTeam()
  return { id, domain, domainId, authorization: `Bearer ${api.key}` }
}

async function remove({ id }: { id: string }, name: string) {
  const cookie = await createSession(await addPerson(id, "owner"))
  return installation.call("POST", "/dashboard/api/team/delete", {
    ...{ cookie, "x-team-id": id },
    body: { name },
  })
}

const statusOf = async (team: Elsewhere, id: string) =>
  (await installation.call("GET", `/api/v1/emails/${id}`, { authorization: team.authorization }))
    .body.status

/** A campaign to one contact whose email waits in its batch. */
async function queueCampaign({ authorization, domain, domainId }: Elsewhere): Promise<string> {
  const post = async (path: string, body: object = {}) =>
    (await installation.call("POST", `/api/v1${path}`, { authorization, body })).body.id
  const bookId = await post("/contact-books", { name: "Readers" })
  await post(`/contact-books/${bookId}/contacts`, { email: "success@simulator.amazonses.com" })
  const id = await post("/campaigns", {
    ...{ name: "News", bookId, domainId, from: `news@${domain}`, subject: "News" },
    blocks: [{ kind: "text", html: "Hi" }],
  })
  await post(`/campaigns/${id}/send`)
  const { sent } = installation
  while (sent.some(({ message }) => message.kind === "campaigns")) {
    const messages = sent.splice(0).map(({ message }) => message)
    await installation.deliverThese(messages.filter(({ kind }) => kind === "campaigns"))
  }
  sent.splice(0)
  return id
}

const sentOf = async ({ authorization }: Elsewhere, campaignId: string): Promise<number> =>
  (await installation.call("GET", `/api/v1/campaigns/${campaignId}`, { authorization })).body.counts
    .sent

/** Until the fence stands, and no further. */
async function fence(team: Elsewhere, source: D1Database) {
  const isClosed = async () => {
    const row = await source
      .prepare("select 1 from team_fences where team_id = ? and mode = 'closed'")
      .bind(team.id)
      .first()
    return row !== null
  }
  for (let tries = 0; tries < 10; tries++) {
    if (await goOnAndDie(installation.env, isClosed)) break
  }
  expect((await moveOf(team.id))?.phase).toBe("fenced")
  dropMovesMessages()
}

const kindsInQueue = () => installation.sent.map(({ message }) => message.kind)

/** The test decides when the move goes on. */
function dropMovesMessages() {
  const { sent } = installation
  sent.splice(0, sent.length, ...sent.filter(({ message }) => !("moves" in message)))
}

describe("the rows of a team that moves", () => {
  it("are in tables that all are in the list", async () => {
    const { results } = await env.DB.prepare(
      "select name from sqlite_master where type = 'table' and instr(sql, 'team_id') > 0",
    ).all<{ name: string }>()
    const directory = ["team_databases", "key_teams", "domain_claims", "members", "invitations"]
    const ofMoves = ["team_moves", "team_fences", "moved_rows"]
    expect(
      [...MOVED_TABLES.map(({ name }) => name), ...directory, ...ofMoves, "key_rotations"].sort(),
    ).toEqual([...results.map(({ name }) => name), "teams"].sort())
  })

  it("that a sweep looks for are copied last", async () => {
    const { results } = await env.DB.prepare(
      "select tbl_name as name, sql from sqlite_master where type = 'index' and sql is not null",
    ).all<{ name: string; sql: string }>()
    const history = new Map(
      MOVED_TABLES.filter(({ live }) => live !== "true").map((table) => [table.name, table]),
    )
    const ofAllTeams = results.filter(
      ({ name, sql }) => history.has(name) && !/\((priority, )?team_id/.test(sql),
    )
    expect(ofAllTeams.map(({ name }) => name).sort()).toEqual([
      "deliveries",
      "deliveries",
      "emails",
      "sandbox_messages",
    ])
  })

  it("are in the target, and the source keeps none that a sweep would find; and back", async () => {
    const team = await makeTeamElsewhere()
    await addRowOfEach(env.SECOND, team.id, "a")
    await addRowOfEach(env.SECOND, team.id, "bb")
    const before = await rowsOfTeam(env.SECOND, team.id)
    expect(Object.keys(before).length).toBeGreaterThan(35)

    await askFor(team.id, 2, 1)
    await goOnTo(installation.env, team.id)
    expect(await rowsOfTeam(env.DB, team.id)).toEqual(before)
    const left = await rowsOfTeam(env.SECOND, team.id)
    const history = MOVED_TABLES.filter(({ live }) => live !== "true").map(({ name }) => name)
    expect(Object.keys(left).filter((name) => !history.includes(name))).toEqual([])
    expect(left.email_events).toEqual(before.email_events)

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

  it("leave the source after a day, with the triggers", async () => {
    const team = await makeTeamElsewhere()
    await addRowOfEach(env.SECOND, team.id, "a")
    await askFor(team.id, 2, 1)
    await goOnTo(installation.env, team.id)
    await goOn(installation.env)
    expect((await moveOf(team.id))?.phase).toBe("kept")
    expect(Object.keys(await rowsOfTeam(env.SECOND, team.id))).not.toEqual([])
    await env.DB.prepare("update team_moves set delete_at = 1 where team_id = ?")
      .bind(team.id)
      .run()
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
    expect(await rowsOfTeam(env.SECOND, team.id)).toEqual({})
    expect((await rowsOfTeam(env.DB, team.id)).emails).toHaveLength(1)
    expect((await installation.call("GET", "/api/v1/me", team)).status).toBe(200)
  })
})

describe("a database that is restored to a time before a move", () => {
  /** The second database as it was, with these rows and without a fence. */
  async function restoreSecond(rows: Awaited<ReturnType<typeof rowsOfTeam>>) {
    const { results } = await env.SECOND.prepare(
      "select name from sqlite_master where type = 'trigger'",
    ).all<{ name: string }>()
    await env.SECOND.batch([
      ...results.map(({ name }) => env.SECOND.prepare(`drop trigger ${name}`)),
      env.SECOND.prepare("delete from team_fences"),
    ])
    for (const { name, columns } of MOVED_TABLES) {
      for (const row of rows[name] ?? []) {
        await env.SECOND.prepare(
          `insert or ignore into ${name} (${columns}) values (${columns.map(() => "?")})`,
        )
          .bind(...columns.map((column) => row[column]))
          .run()
      }
    }
  }
  const askFrom = async (...teamIds: string[]) => {
    const ask = askDeletionOfCopies(teamIds, { database: 2, now: Date.now() })
    return (await runIn(env.DB, ask)).results.map(({ teamId }) => teamId)
  }

  it.each(["kept", "forgotten"])(
    "deletes what it has of the team, whose earlier move is %s, and of no other",
    async (earlier) => {
      const [team, other] = [await makeTeamElsewhere(), await makeTeamElsewhere()]
      await addRowOfEach(env.SECOND, team.id, "a")
      const before = await rowsOfTeam(env.SECOND, team.id)
      await askFor(team.id, 2, 1)
      await goOnTo(installation.env, team.id)
      if (earlier === "forgotten") {
        await env.DB.prepare("update team_moves set delete_at = 1").run()
        await goOnTo(installation.env, team.id, [])
      }
      await restoreSecond(before)
      expect(await rowsOfTeam(env.SECOND, team.id)).toEqual(before)

      expect(await askFrom(other.id, team.id, newId("team"))).toEqual([team.id])
      expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
      expect(await rowsOfTeam(env.SECOND, team.id)).toEqual({})
      expect(await rowsOfTeam(env.DB, team.id)).toEqual(before)
      for (const one of [team, other]) expect((await send(one)).status).toBe(201)
    },
  )
})

describe("a move that is taken back", () => {
  it("leaves nothing in the target, and the team works where it was", async () => {
    const team = await makeTeamElsewhere()
    await addRowOfEach(env.SECOND, team.id, "a")
    const before = await rowsOfTeam(env.SECOND, team.id)
    await askFor(team.id, 2, 1)
    await fence(team, env.SECOND)
    expect((await send(team)).status).toBe(503)
    expect((await runIn(env.DB, askCancel(team.id))).results).toHaveLength(1)
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
    await moveAuditEntries(createWork(installation.env, createExecutionContext()))
    expect(await rowsOfTeam(env.DB, team.id)).toEqual({})
    expect(await rowsOfTeam(env.SECOND, team.id)).toEqual(before)
    expect((await send(team)).status).toBe(201)
    const fences = await env.SECOND.prepare("select * from team_fences where team_id = ?")
      .bind(team.id)
      .all()
    expect(fences.results).toEqual([])
    if ((await env.SECOND.prepare("select 1 from team_fences").first()) === null) {
      expect(await triggersIn(env.SECOND)).toBe(0)
    }
  })

  it("by a restore leaves nothing in the target, and one that has ended stays", async () => {
    const [team, other] = [await makeTeamElsewhere(), await makeTeamElsewhere()]
    await askFor(other.id, 2, 1)
    await goOnTo(installation.env, other.id)
    await askFor(team.id, 2, 1)
    await fence(team, env.SECOND)
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
    const team = await makeTeamElsewhere()
    await askFor(team.id, 2, 1)
    await fence(team, env.SECOND)
    await env.DB.batch([
      env.DB.prepare("update team_fences set mode = 'open' where team_id = ?").bind(team.id),
      env.DB.prepare("insert into stats_days (team_id, day) values (?, '2026-01-01')").bind(
        team.id,
      ),
      env.DB.prepare("update team_fences set mode = 'closed' where team_id = ?").bind(team.id),
    ])
    await goOn(installation.env)
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
    expect(await rowsOfTeam(env.DB, team.id)).toEqual({})
    expect((await send(team)).status).toBe(201)
  })

  it.each([
    ["its target is emptied", 2, 1, "emptying"],
    ["it is copied", 2, 1, "copying"],
    ["its source is deleted", 1, 2, "switched"],
  ] as const)("is one whose team is deleted while %s", async (_when, source, target, phase) => {
    const team = await (source === 2 ? makeTeamElsewhere() : makeTeam())
    const name = source === 2 ? "Elsewhere" : `Team ${team.domain}`
    await askFor(team.id, source, target)
    const isThere = async () => {
      const move = await env.DB.prepare(
        `select 1 from team_moves
          where team_id = ?1 and phase = ?2 and (?2 <> 'switched' or opened_at is not null)`,
      )
        .bind(team.id, phase)
        .first()
      return move !== null && (phase !== "switched" || (await fencesIn(env.SECOND)).length === 0)
    }
    for (let tries = 0; tries < 10; tries++) {
      if (await goOnAndDie(installation.env, isThere)) break
    }
    expect((await moveOf(team.id))?.phase).toBe(phase)
    expect((await remove(team, name)).status).toBe(202)
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
    // The directory's log has the entry of the deletion.
    const { audit_log: _, ...copies } = await rowsOfTeam(env.DB, team.id)
    expect(copies).toEqual({})
  })
})

describe("a process that waited while another went on with its move", () => {
  /** Answers what lets the other go on, if it waits, too. */
  const others = {
    "is about to delete the source's rows": async (team) => {
      const stall = () =>
        goOnAndStall(installation.env, (sql) => sql.includes("delete from webhooks where ("))
      await fence(team, env.SECOND)
      const resume = await stall()
      expect(resume).not.toBeNull()
      return resume
    },
    "has ended the move": async (team) => void (await goOnTo(installation.env, team.id)),
  } satisfies Record<string, (team: Elsewhere) => Promise<(() => Promise<void>) | null | void>>

  describe.each([
    ["take over the fences", "set held_by", 1],
    ["raise the fence of the target", "insert into team_fences", 1],
    ["raise the fence of the source", "insert into team_fences", 2],
  ])("to %s", (_what, sql, nth) => {
    it.each(Object.entries(others))(
      "changes nothing any more: it %s",
      async (_is, goOnWithOther) => {
        const team = await makeTeamElsewhere()
        await addRowOfEach(env.SECOND, team.id, "a")
        const before = await rowsOfTeam(env.SECOND, team.id)
        await askFor(team.id, 2, 1)
        let met = 0
        const resume = await goOnAndStall(
          installation.env,
          (next) => next.includes(sql) && ++met === nth,
        )
        const resumeOther = await goOnWithOther(team)
        expect(resume).not.toBeNull()
        await resume?.()
        await resumeOther?.()
        expect(await goOnTo(installation.env, team.id)).toMatchObject({ phase: "kept" })

        expect(await rowsOfTeam(env.DB, team.id)).toEqual(before)
        const left = Object.keys(await rowsOfTeam(env.SECOND, team.id))
        expect(left).not.toContain("api_keys")
        expect(left).not.toContain("webhooks")
        expect(await fencesIn(env.DB)).toEqual([])
        expect((await send(team)).status).toBe(201)
      },
    )
  })
})

describe("a move whose call is answered late, or not at all", () => {
  it.each([
    [2, 1],
    [1, 2],
  ])("from %i to %i stays switched after a long fence", async (source, target) => {
    const team = await makeTeamIn(source)
    await askFor(team.id, source, target)
    await fence(team, source === 1 ? env.DB : env.SECOND)
    await env.DB.prepare("update team_moves set fenced_at = 1").run()
    expect(await goOnAndLose(installation.env, "set phase = 'switched'")).toBe(true)
    expect(await goOnTo(installation.env, team.id)).toMatchObject({ phase: "kept" })
    expect((await send(team)).status).toBe(201)
  })

  it("deletes a team that was deleted just before its source is closed", async () => {
    const team = await makeTeamElsewhere()
    await askFor(team.id, 2, 1)
    const stall = () =>
      goOnAndStall(installation.env, (sql) => sql.startsWith("update team_fences set mode = 'clo"))
    const resume = (await stall()) ?? (await stall())
    expect((await remove(team, "Elsewhere")).status).toBe(202)
    await resume?.()
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
    const { audit_log: _, ...left } = await rowsOfTeam(env.DB, team.id)
    expect(left).toEqual({})
  })

  it("deletes a team that was deleted just after its target was opened", async () => {
    const team = await makeTeamIn(1)
    await askFor(team.id, 1, 2)
    await fence(team, env.DB)
    expect(await goOnAndLose(installation.env, "delete from team_fences")).toBe(true)
    expect((await moveOf(team.id))?.phase).toBe("switched")
    expect((await remove(team, `Team ${team.domain}`)).status).toBe(202)
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
  })

  it("deletes its source at once if that is asked for meanwhile", async () => {
    const team = await makeTeamElsewhere()
    await askFor(team.id, 2, 1)
    await fence(team, env.SECOND)
    const resume = await goOnAndStall(installation.env, (sql) =>
      sql.includes("delete from domains where ("),
    )
    expect(resume).not.toBeNull()
    await env.DB.prepare("update team_moves set delete_at = 0").run()
    await resume?.()
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
  })

  it("goes on to the database that is asked for while its source is deleted", async () => {
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
  expect(await fencesIn(env.SECOND)).toEqual([{ team_id: team.id, mode: "closed" }])
  expect((await send(team)).status).toBe(201)
})

describe("while a team is fenced", () => {
  it("its writes answer 503, it can read, its mail waits, and nobody else does", async () => {
    const [team, other] = [await makeTeamElsewhere(), await makeTeamElsewhere()]
    const { body: waiting } = await send(team)
    await askFor(team.id, 2, 1)
    await fence(team, env.SECOND)
    const refused = await send(team)
    expect(refused).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } })
    expect(await statusOf(team, waiting.id)).toBe("queued")

    const { body: sent } = await send(other)
    await installation.deliver()
    expect(await statusOf(other, sent.id)).toBe("delivered")
    expect(await statusOf(team, waiting.id)).toBe("queued")
    await installation.minute()
    dropMovesMessages()
    await installation.deliver()
    expect(await statusOf(team, waiting.id)).toBe("queued")

    await goOnTo(installation.env, team.id)
    await installation.deliver()
    await installation.deliver()
    expect(await statusOf(team, waiting.id)).toBe("delivered")
  })

  it("its campaigns wait, no consumer asks for them again, and they go on afterwards", async () => {
    const teams = [await makeTeamElsewhere(), await makeTeamElsewhere(), await makeTeamElsewhere()]
    teams.sort((a, b) => (a.id < b.id ? -1 : 1))
    const team = teams[1] as Elsewhere
    const ids = new Map<Elsewhere, string>()
    for (const one of teams) ids.set(one, await queueCampaign(one))
    const sent = () => Promise.all(teams.map((one) => sentOf(one, ids.get(one) ?? "")))
    await askFor(team.id, 2, 1)
    await fence(team, env.SECOND)
    installation.sent.splice(0)
    await installation.deliverThese([{ kind: "sends-bulk", dueAt: 0, database: 2 }])
    expect(await sent()).toEqual([1, 0, 1])
    expect(kindsInQueue()).not.toContain("sends-bulk")

    await goOnTo(installation.env, team.id)
    await installation.deliver()
    expect(await sent()).toEqual([1, 1, 1])
  })

  it("its campaigns wait, and go on at once after the move is taken back", async () => {
    const team = await makeTeamElsewhere()
    const id = await queueCampaign(team)
    await askFor(team.id, 2, 1)
    await fence(team, env.SECOND)
    installation.sent.splice(0)
    await installation.deliverThese([{ kind: "sends-bulk", dueAt: 0, database: 2 }])
    expect(kindsInQueue()).not.toContain("sends-bulk")
    await runIn(env.DB, askCancel(team.id))
    expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
    await installation.deliver()
    expect(await sentOf(team, id)).toBe(1)
  })

  it("reports on mail of a team that moved away earlier are recorded where that is", async () => {
    const [team, moved] = [await makeTeamElsewhere(), await makeTeamElsewhere()]
    const { body: one } = await send(team)
    const { body: two } = await send(moved)
    await askFor(moved.id, 2, 1)
    await goOnTo(installation.env, moved.id)
    await env.DB.prepare("update team_moves set delete_at = 0").run()
    expect(await goOnTo(installation.env, moved.id, [])).toBeUndefined()
    await askFor(team.id, 2, 1)
    await fence(team, env.SECOND)
    installation.sent.splice(0)
    const events = [reportOn(team, one.id), reportOn(moved, two.id)]
    await installation.deliverThese([{ kind: "outcomes", database: 2, events }])
    const messages = installation.sent.splice(0).map(({ message }) => message)
    await installation.deliverThese(messages.filter(({ database }) => database !== 2))
    expect(await typesOf(moved, two.id)).toEqual(["opened"])
  })

  it("reports on its mail are recorded where it is afterwards, once", async () => {
    const [team, other] = [await makeTeamElsewhere(), await makeTeamElsewhere()]
    const { body: one } = await send(team)
    const { body: two } = await send(other)
    await askFor(team.id, 2, 1)
    await fence(team, env.SECOND)
    installation.sent.splice(0)
    const reports: QueueMessage = {
      kind: "outcomes",
      database: 2,
      events: [reportOn(team, one.id), reportOn(other, two.id)],
    }
    await installation.deliverThese([reports])
    expect(await typesOf(other, two.id)).toEqual(["opened"])
    expect(await typesOf(team, one.id)).toEqual([])
    const [waiting, ...more] = installation.sent.splice(0)
    expect(waiting).toMatchObject({ message: { kind: "outcomes", database: 2 }, delaySeconds: 5 })
    expect(more).toEqual([])

    await goOnTo(installation.env, team.id)
    installation.sent.splice(0)
    await installation.deliverThese([waiting?.message as QueueMessage])
    await installation.deliver()
    expect(await typesOf(team, one.id)).toEqual(["opened"])
    await installation.deliverThese([reports])
    await installation.deliver()
    expect(await typesOf(team, one.id)).toEqual(["opened"])
  })
})

const reportOn = ({ id: teamId }: Elsewhere, emailId: string) =>
  reportOf({ teamId, emailId }, "opened", Date.now(), { ip: "192.0.2.1" })

async function typesOf({ authorization }: Elsewhere, id: string): Promise<string[]> {
  const { body } = await installation.call("GET", `/api/v1/emails/${id}`, { authorization })
  return body.events.map(({ type }: { type: string }) => type)
}
