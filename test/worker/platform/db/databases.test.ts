import { applyD1Migrations } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { newId } from "../../../../src/lib/id.ts"
import {
  preferencesUrl,
  unsubscribeUrl,
} from "../../../../src/worker/contacts/links/recipient-link.ts"
import type { ProviderRates } from "../../../../src/worker/emails/sending/pacing/provider-rates.ts"
import { clickUrl, openUrl } from "../../../../src/worker/emails/tracking/links.ts"
import { makeHealth } from "../../../../src/worker/health.ts"
import { readSettings } from "../../../../src/worker/platform/env.ts"
import { readSesEvent } from "../../../../src/worker/providers/ses/events.ts"
import {
  createInstallation,
  type Installation,
  makeTeamElsewhere,
} from "../../../support/databases.ts"
import { interruptedDb } from "../../../support/interrupted-db.ts"
import { metered } from "../../../support/meter.ts"
import { addPerson, createSession, PASSWORD } from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"

type Elsewhere = Awaited<ReturnType<typeof makeTeamElsewhere>>

let team: Elsewhere
let installation: Installation
beforeAll(async () => {
  await applyD1Migrations(env.SECOND, env.TEST_MIGRATIONS)
  installation = createInstallation()
  team = await makeTeamElsewhere()
})

const first = (db: D1Database, sql: string, ...values: unknown[]) =>
  db
    .prepare(sql)
    .bind(...values)
    .first()

const message = (to: string, more: object = {}) => ({
  from: `a@${team.domain}`,
  to,
  subject: "Hello",
  html: '<a href="https://example.com/">Link</a>',
  ...more,
})

async function send(to = "success@simulator.amazonses.com", more: object = {}): Promise<string> {
  const { authorization } = team
  const reply = await installation.call("POST", "/api/v1/emails", {
    authorization,
    body: message(to, more),
  })
  expect(reply.status).toBe(201)
  return reply.body.id
}

describe("a team in the second database", () => {
  it("has its emails there alone, and its key accepts one in one round trip", async () => {
    await send()
    let id = ""
    const cost = await metered(async () => {
      id = await send()
    })
    expect(cost).toMatchObject({ roundTrips: 1, rowsWritten: 4 })
    expect(await first(env.SECOND, "select team_id from emails where id = ?", id)).toEqual({
      team_id: team.id,
    })
    expect(await first(env.DB, "select id from emails where id = ?", id)).toBeNull()
    const read = await installation.call("GET", `/api/v1/emails/${id}`, team)
    expect(read).toMatchObject({ status: 200, body: { id, status: "queued" } })
  })

  it("is not reached by a key of another database's team", async () => {
    const id = await send()
    const neighbour = await makeTeam()
    const authorization = `Bearer ${neighbour.api.key}`
    const read = await installation.call("GET", `/api/v1/emails/${id}`, { authorization })
    expect(read.status).toBe(404)
  })

  it("sends, records and delivers by messages that name the database", async () => {
    const id = await send()
    expect(installation.sent.map(({ message }) => message.database)).toContain(2)
    await installation.deliver()
    const read = await installation.call("GET", `/api/v1/emails/${id}`, team)
    expect(read.body.status).toBe("delivered")
    expect(read.body.events.map(({ type }: { type: string }) => type)).toEqual([
      "sent",
      "delivered",
    ])
  })

  it("counts the opens and clicks of links that name the database", async () => {
    const id = await send("success@simulator.amazonses.com", {
      trackOpens: true,
      trackClicks: true,
    })
    await installation.deliver()
    const inbox = await installation.call("GET", `/api/v1/sandbox/messages?emailId=${id}`, team)
    const html: string = inbox.body.data[0].html
    for (const link of html.match(/\/t\/[oc]\/[\w-]+/g) ?? []) await installation.call("GET", link)
    await installation.deliver()
    const read = await installation.call("GET", `/api/v1/emails/${id}`, team)
    expect(read.body.events.map(({ type }: { type: string }) => type).sort()).toEqual([
      "clicked",
      "delivered",
      "opened",
      "sent",
    ])
  })

  it("ends a subscription by a link that names the database", async () => {
    const { body: book } = await installation.call("POST", "/api/v1/contact-books", {
      ...team,
      body: { name: "Book" },
    })
    const path = `/api/v1/contact-books/${book.id}/contacts`
    await installation.call("POST", path, { ...team, body: { email: "ada@example.com" } })
    const subscriber = { teamId: team.id, email: "ada@example.com", bookId: book.id, database: 2 }
    const url = new URL(unsubscribeUrl(readSettings(env), subscriber))
    expect((await installation.call("POST", url.pathname)).status).toBe(200)
    const { body } = await installation.call("GET", `${path}?subscribed=false`, team)
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual(["ada@example.com"])
  })

  it("gets its minute as a message", async () => {
    const id = await send()
    installation.sent.length = 0
    await installation.minute()
    expect(installation.sent.map(({ message }) => message)).toContainEqual({
      kind: "minutes",
      database: 2,
    })
    await env.SECOND.prepare("update emails set due_at = 1, not_before = 1 where id = ?")
      .bind(id)
      .run()
    await installation.deliver()
    const read = await installation.call("GET", `/api/v1/emails/${id}`, team)
    expect(read.body.status).toBe("delivered")
  })
})

describe("a key", () => {
  it("whose hash names another database is found through the directory, once", async () => {
    const moved = await makeTeamElsewhere({ drawn: false })
    const me = () => installation.call("GET", "/api/v1/me", moved)
    expect(await me()).toMatchObject({ status: 200, body: { team: { id: moved.id } } })
    const again = await metered(async () => {
      expect((await me()).status).toBe(200)
    })
    expect(again.roundTrips).toBe(1)
  })

  it("whose hash names another database may send at once", async () => {
    const moved = await makeTeamElsewhere({ drawn: false })
    const { status, body } = await installation.call("POST", "/api/v1/emails", {
      authorization: moved.authorization,
      body: { ...message("success@simulator.amazonses.com"), from: `a@${moved.domain}` },
    })
    expect(status).toBe(201)
    const rows = await env.SECOND.prepare("select id from emails where team_id = ?")
      .bind(moved.id)
      .all()
    expect(rows.results).toEqual([{ id: body.id }])
  })

  it("of a team of the first database works whatever its hash", async () => {
    const { api, id } = await makeTeam()
    const authorization = `Bearer ${api.key}`
    const reply = await installation.call("GET", "/api/v1/me", { authorization })
    expect(reply).toMatchObject({ status: 200, body: { team: { id } } })
  })

  it("that nobody made, or that was revoked, is refused", async () => {
    const unknown = { authorization: `Bearer svc_live_${"A".repeat(43)}` }
    expect((await installation.call("GET", "/api/v1/me", unknown)).status).toBe(401)
    const { authorization, keyId } = await makeTeamElsewhere()
    const caller = { authorization }
    expect((await installation.call("DELETE", `/api/v1/api-keys/${keyId}`, caller)).status).toBe(
      204,
    )
    expect((await installation.call("GET", "/api/v1/me", caller)).status).toBe(401)
  })

  it("is made so that its hash names the database, and the directory knows it", async () => {
    const { body } = await installation.call("POST", "/api/v1/api-keys", {
      ...team,
      body: { name: "New" },
    })
    const caller = { authorization: `Bearer ${body.secret}` }
    const cost = await metered(async () => {
      expect((await installation.call("GET", "/api/v1/me", caller)).status).toBe(200)
    })
    expect(cost.roundTrips).toBe(2)
    const known = await env.DB.prepare("select count(*) as keys from key_teams where team_id = ?")
      .bind(team.id)
      .first()
    expect(known).toEqual({ keys: 2 })
  })
})

describe("people", () => {
  it("use teams of both databases with one session", async () => {
    const home = await makeTeam()
    const email = await addPerson(home.id, "owner")
    await env.DB.prepare(
      `insert into members (user_id, team_id, role, created_at)
        select id, ?, 'owner', 1 from users where email = ?`,
    )
      .bind(team.id, email)
      .run()
    const cookie = await createSession(email)
    const at = (teamId: string) => ({ cookie, "x-team-id": teamId })
    const listed = await installation.call("GET", "/dashboard/api/teams", at(home.id))
    const names = listed.body.data.map(({ name }: { name: string }) => name).sort()
    expect(names).toEqual(["Elsewhere", `Team ${home.domain}`])
    const id = await send()
    const here = await installation.call("GET", `/dashboard/api/emails/${id}`, at(home.id))
    expect(here.status).toBe(404)
    const there = await installation.call("GET", `/dashboard/api/emails/${id}`, at(team.id))
    expect(there).toMatchObject({ status: 200, body: { id } })
    const members = await installation.call("GET", "/dashboard/api/members", at(team.id))
    expect(members.body.data.map((one: { email: string }) => one.email)).toEqual([email])
  })

  it("are invited into a team of the second database, which notes it in its audit log", async () => {
    const email = await addPerson(team.id, "owner")
    const caller = { cookie: await createSession(email), "x-team-id": team.id }
    const invited = await installation.call("POST", "/dashboard/api/invitations", {
      ...caller,
      body: { email: "new@people.test", role: "member" },
    })
    expect(invited.status).toBe(201)
    await installation.minute()
    const log = await installation.call("GET", "/dashboard/api/audit-log", caller)
    const actions = log.body.data.map(({ action }: { action: string }) => action)
    expect(actions).toContain("invitations.create")
    const left = await first(env.DB, "select id from audit_log where team_id = ?", team.id)
    expect(left).toBeNull()
  })

  it("are told by mail that their password was changed", async () => {
    const email = await addPerson(team.id, "member")
    const caller = { cookie: await createSession(email), "x-team-id": team.id }
    const body = { currentPassword: PASSWORD, newPassword: "quite another password" }
    const changed = await installation.call("POST", "/dashboard/api/profile/password", {
      ...caller,
      body,
    })
    expect(changed.status).toBe(204)
    const mail = "select team_id from sandbox_messages where instr(recipients, ?) > 0"
    const found = [await first(env.DB, mail, email), await first(env.SECOND, mail, email)]
    expect(found).toContainEqual({ team_id: "system" })
  })

  it("create a team in the emptiest database of the jurisdiction that they ask for", async () => {
    const home = await makeTeam()
    const caller = { cookie: await createSession(await addPerson(home.id, "owner")) }
    const eu = createInstallation({ DATABASES: '[{"number":2,"jurisdiction":"eu"}]' })
    const create = (body: object) => eu.call("POST", "/dashboard/api/teams", { ...caller, body })
    const { body } = await create({ name: "European", jurisdiction: "eu" })
    expect(await first(env.SECOND, "select name from teams where id = ?", body.id)).toEqual({
      name: "European",
    })
    const used = await eu.call("GET", "/dashboard/api/team", { ...caller, "x-team-id": body.id })
    expect(used).toMatchObject({ status: 200, body: { name: "European" } })
    const world = await create({ name: "World" })
    expect(await first(env.DB, "select name from teams where id = ?", world.body.id)).toEqual({
      name: "World",
    })
    expect((await create({ name: "None", jurisdiction: "mars" })).status).toBe(400)
    const settings = await eu.call("GET", "/dashboard/api/installation", caller)
    expect(settings.body.jurisdictions).toEqual([null, "eu"])
  })

  it("need not ask for the only jurisdiction", async () => {
    const home = await makeTeam()
    const caller = { cookie: await createSession(await addPerson(home.id, "owner")) }
    const DATABASES = '[{"number":1,"jurisdiction":"eu"},{"number":2,"jurisdiction":"eu"}]'
    const create = (body: object) =>
      createInstallation({ DATABASES }).call("POST", "/dashboard/api/teams", { ...caller, body })
    expect((await create({ name: "European" })).status).toBe(201)
    expect((await create({ name: "None", jurisdiction: "fedramp" })).status).toBe(400)
  })

  it("see that the team requires a second factor only once the directory has the rule", async () => {
    const strict = await makeTeamElsewhere()
    const email = await addPerson(strict.id, "owner")
    const cookie = await createSession(email)
    await env.DB.prepare(
      "update sessions set second_factor = 'code' where user_id = (select id from users where email = ?)",
    )
      .bind(email)
      .run()
    const silent = interruptedDb(/update "?team_databases/i, () => {
      throw new Error("D1_ERROR: Network connection lost.")
    })
    const body = { requireSecondFactor: true }
    const set = (through: Installation) =>
      through.call("PATCH", "/dashboard/api/team", { cookie, body })
    expect((await set(createInstallation({ DB: silent }))).status).toBeGreaterThanOrEqual(500)
    const read = await installation.call("GET", "/dashboard/api/team", { cookie })
    expect(read.body.requireSecondFactor).toBe(false)
    expect((await set(installation)).body).toMatchObject(body)
    const member = await createSession(await addPerson(strict.id, "admin"))
    const call = await installation.call("GET", "/dashboard/api/contact-books", { cookie: member })
    expect(call.status).toBe(403)
  })

  it("delete a team of the second database, and the directory forgets it", async () => {
    const gone = await makeTeamElsewhere()
    const cookie = await createSession(await addPerson(gone.id, "owner"))
    const caller = { cookie, "x-team-id": gone.id }
    // No minute has moved the entry to the team yet.
    await env.DB.prepare(
      "insert into audit_log (team_id, id, at, actor_type, action) values (?, 'al', 1, 'user', 'signIns.create')",
    )
      .bind(gone.id)
      .run()
    const removed = await installation.call("POST", "/dashboard/api/team/delete", {
      ...caller,
      body: { name: "Elsewhere" },
    })
    expect(removed.status).toBe(202)
    expect((await installation.call("GET", "/api/v1/me", gone)).status).toBe(401)
    for (const table of ["team_databases", "key_teams", "domain_claims", "members", "audit_log"]) {
      const left = await first(env.DB, `select * from ${table} where team_id = ?`, gone.id)
      expect(left, table).toBeNull()
    }
  })
})

describe("a domain's name", () => {
  const create = (caller: { authorization: string }, name: string) =>
    installation.call("POST", "/api/v1/domains", { ...caller, body: { name } })

  it("that one database has verified is taken in the others", async () => {
    const home = await makeTeam()
    const caller = { authorization: `Bearer ${home.api.key}` }
    expect((await create(caller, team.domain)).status).toBe(409)
    expect((await create(team, home.domain)).status).toBe(409)
  })

  it("is verified by the first team alone, whatever its database", async () => {
    const home = await makeTeam()
    const caller = { authorization: `Bearer ${home.api.key}` }
    const name = `${crypto.randomUUID()}.test`
    const there = await create(team, name)
    const here = await create(caller, name)
    expect([there.status, here.status]).toEqual([201, 201])
    const verify = (who: object, id: string) =>
      installation.call("POST", `/api/v1/domains/${id}/verify`, { ...who })
    const results = [await verify(team, there.body.id), await verify(caller, here.body.id)]
    expect(results.filter(({ body }) => body.status === "verified")).toHaveLength(1)
    const claims = await env.DB.prepare("select status from domain_claims where name = ?")
      .bind(name)
      .all()
    const own = await env.DB.prepare("select status from domains where name = ?").bind(name).all()
    const verified = [...claims.results, ...own.results].filter(
      ({ status }) => status === "verified",
    )
    expect(verified).toHaveLength(1)
  })

  it("is free again once its domain is deleted", async () => {
    const name = `${crypto.randomUUID()}.test`
    const { body } = await create(team, name)
    expect((await installation.call("DELETE", `/api/v1/domains/${body.id}`, team)).status).toBe(204)
    expect(await first(env.DB, "select * from domain_claims where name = ?", name)).toBeNull()
  })
})

describe("links and tags", () => {
  it("of the first database are as before, and of others name them", () => {
    const settings = readSettings(env)
    const email = { teamId: team.id, emailId: "em_01M886ZGPT3QBTBTPNW1VB4AFT" }
    const elsewhere = { ...email, database: 2 }
    expect(openUrl(settings, elsewhere).length).toBeGreaterThan(openUrl(settings, email).length)
    expect(clickUrl(settings, elsewhere, "https://example.com/")).not.toBe(
      clickUrl(settings, email, "https://example.com/"),
    )
  })

  it("of Amazon SES lead its events to the database", () => {
    const ids = { emailId: newId("email"), teamId: newId("team") }
    const tags = { email_id: [ids.emailId], team_id: [ids.teamId], database: ["2"] }
    const mail = { timestamp: new Date().toISOString(), messageId: "m", tags }
    const [report] = readSesEvent(JSON.stringify({ eventType: "Send", mail }))
    expect(report).toMatchObject({ ...ids, database: 2 })
  })
})

describe("an installation with several databases", () => {
  const broken = {
    prepare: () => {
      throw new Error("D1_ERROR: network connection lost")
    },
  } as unknown as D1Database

  it("names the one that does not answer, and serves the teams of the others", async () => {
    const damaged = createInstallation({ DB_2: broken })
    expect(await makeHealth()(damaged.env)).toMatchObject({
      status: "degraded",
      silentDatabases: [2],
    })
    const { api } = await makeTeam()
    const caller = { authorization: `Bearer ${api.key}` }
    expect((await damaged.call("GET", "/api/v1/me", caller)).status).toBe(200)
  })

  it("serves a recipient's links while the directory does not answer", async () => {
    const damaged = createInstallation({ DB: broken })
    const team = await makeTeamElsewhere()
    const subscriber = { teamId: team.id, email: "a@example.com", bookId: "cb_1", database: 2 }
    for (const url of [
      unsubscribeUrl(readSettings(env), subscriber),
      preferencesUrl(readSettings(env), subscriber),
    ]) {
      for (const method of ["GET", "POST"]) {
        const { status } = await damaged.call(method, new URL(url).pathname)
        expect([method, url, status]).toEqual([method, url, 200])
      }
    }
  })

  it("hands out a provider's slots once, transactional mail first", async () => {
    const rates = (env.PROVIDER_RATES as DurableObjectNamespace<ProviderRates>).getByName("test")
    const asked = { count: 10, intervalMs: 60_000, aheadMs: 300_000 }
    expect(await rates.take({ ...asked, isBulk: false })).toEqual({ room: 5, delayMs: 0 })
    expect((await rates.take({ ...asked, isBulk: false })).room).toBe(0)
    expect((await rates.take({ ...asked, isBulk: true })).room).toBe(0)
    await rates.giveBack({ ...asked, isBulk: false, count: 3 })
    expect((await rates.take({ ...asked, isBulk: true, count: 2 })).room).toBe(2)
    expect((await rates.take({ ...asked, isBulk: false })).room).toBe(3)
  })
})
