import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { runCron } from "../../../../src/worker/cron.ts"
import { sweepDeletedTeams } from "../../../../src/worker/teams/deletion/sweep.ts"
import { request } from "../../../support/api.ts"
import { fakeInternet } from "../../../support/internet.ts"
import { acceptForLater } from "../../../support/mail.ts"
import { sessionOf } from "../../../support/session.ts"
import { changesOf, publishChanges, readStream } from "../../../support/stream.ts"
import { addDomain, makeTeam } from "../../../support/team.ts"
import { makeClock, testWork } from "../../../support/work.ts"

async function tablesWithTeam(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "select name, sql from sqlite_master where type = 'table' and instr(sql, 'team_id') > 0",
  ).all<{ name: string }>()
  return results.map(({ name }) => name)
}

beforeAll(() => {
  fakeInternet()
})

describe("deleting a team", () => {
  const remove = (cookie: string, name: string) =>
    request("POST", "/dashboard/api/team/delete", { name }, { cookie })

  it("needs the typed name of the team", async () => {
    const cookie = await sessionOf((await makeTeam()).id, "owner")
    expect((await remove(cookie, "Another")).status).toBe(400)
    expect((await request("GET", "/dashboard/api/session", undefined, { cookie })).status).toBe(200)
  })

  it("stops keys, members and mail at once, and leaves nothing and no neighbour's data out", async () => {
    const [team, other] = [await makeTeam(), await makeTeam()]
    const cookie = await sessionOf(team.id, "owner")
    for (const one of [team, other]) {
      await acceptForLater(one, { tags: { a: "b" } })
      await one.api.post("/suppressions", { email: "x@example.com" })
      await one.api.post("/webhooks", { url: "https://example.com/", events: ["email.sent"] })
    }
    await addDomain(team.id, `more.${team.domain}`, "pending")
    await publishChanges(testWork().work, changesOf(team.id, 2))
    // Uploads whose processes died before they stored a row.
    for (const one of [team, other]) await env.CONTENT.put(`sandbox/${one.id}/em_lost`, "mail")
    const { body } = await request("GET", "/dashboard/api/team", undefined, { cookie })
    expect(await remove(cookie, body.name)).toMatchObject({ status: 202, body: { deleted: true } })
    expect((await team.api.get("/me")).status).toBe(401)
    expect((await request("GET", "/dashboard/api/session", undefined, { cookie })).status).toBe(403)

    const clock = makeClock()
    clock.advance(2 * 3_600_000)
    const { work } = testWork({ clock })
    await runCron(work)
    await sweepDeletedTeams(work)
    for (const table of await tablesWithTeam()) {
      const left = await env.DB.prepare(`select * from ${table} where team_id = ?`)
        .bind(team.id)
        .all()
      expect([table, left.results]).toEqual([table, []])
    }
    expect((await env.DB.prepare("select * from deleted_teams").all()).results).toEqual([])
    const stream = env.TEAM_STREAM.getByName(team.id)
    await evictDurableObject(stream)
    await runInDurableObject(stream, (_, { storage }) => {
      for (const table of ["publications", "told"])
        expect(storage.sql.exec(`select * from ${table}`).toArray()).toEqual([])
    })
    const sent = await env.DB.prepare("select * from sandbox_messages where team_id = ?")
      .bind(team.id)
      .all()
    expect(sent.results).toEqual([])
    expect(await env.CONTENT.head(`sandbox/${team.id}/em_lost`)).toBeNull()
    expect(await env.CONTENT.head(`sandbox/${other.id}/em_lost`)).not.toBeNull()
    expect((await other.api.get("/suppressions")).body.data).toHaveLength(1)
    expect((await other.api.get("/emails")).body.data).toHaveLength(1)
  })

  it("ends together with other deletions, a large one among them", async () => {
    await env.DB.prepare("delete from deleted_teams").run()
    const teams = await Promise.all(Array.from({ length: 5 }, () => makeTeam()))
    const ids = JSON.stringify(teams.map(({ id }) => id))
    await env.DB.batch([
      env.DB.prepare("delete from teams where id in (select value from json_each(?))").bind(ids),
      env.DB.prepare("insert into deleted_teams select value, key from json_each(?)").bind(ids),
      env.DB.prepare(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < 45000)
         insert into email_tags select ?, 'a', 'em_' || i from n`,
      ).bind(teams[0]?.id),
    ])
    const { work } = testWork()
    const left = async () =>
      (await env.DB.prepare("select id from deleted_teams").all()).results.map(({ id }) => id)
    for (let minute = 0; minute < 3; minute++) await sweepDeletedTeams(work)
    expect(await left()).toEqual([])
  })

  it("ends in time although a clock that was ahead noted the deletion", async () => {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, "owner")
    const { body } = await request("GET", "/dashboard/api/team", undefined, { cookie })
    await remove(cookie, body.name)
    const clock = makeClock()
    const { work } = testWork({ clock })
    await env.DB.prepare("update deleted_teams set deleted_at = ? where id = ?")
      .bind(clock.now() + 48 * 3_600_000, team.id)
      .run()
    await sweepDeletedTeams(work)
    clock.advance(3_600_000)
    await sweepDeletedTeams(work)
    const { results } = await env.DB.prepare("select * from deleted_teams where id = ?")
      .bind(team.id)
      .all()
    expect(results).toEqual([])
  })

  it("ends the streams of its keys", async () => {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, "owner")
    const reader = await readStream(team.api.key)
    await reader.next()
    const { body } = await request("GET", "/dashboard/api/team", undefined, { cookie })
    await remove(cookie, body.name)
    await expect(reader.next()).rejects.toThrow("The stream has ended")
  })
})
