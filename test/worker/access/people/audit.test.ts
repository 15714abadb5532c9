import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { firstIdAt, newId } from "../../../../src/lib/id.ts"
import { DAY_MS } from "../../../../src/lib/time.ts"
import { endpoints } from "../../../../src/worker/contract.ts"
import { eraseTexts } from "../../../../src/worker/erasure/texts.ts"
import { erasedForm } from "../../../../src/worker/suppressions/erased.ts"
import { purgeAuditLog } from "../../../../src/worker/teams/audit/audit-log.ts"
import { moveAuditEntries } from "../../../../src/worker/teams/audit/move-entries.ts"
import { type Reply, request } from "../../../support/api.ts"
import { makeAuthenticator, ORIGIN } from "../../../support/authenticator.ts"
import { directory, PERSON_ROUND_TRIPS } from "../../../support/installation.ts"
import { fakeInternet } from "../../../support/internet.ts"
import { metered } from "../../../support/meter.ts"
import {
  addPerson,
  cookieOf,
  makePerson,
  PASSWORD,
  sessionOf,
  signIn,
} from "../../../support/session.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { directoryWork, testWork } from "../../../support/work.ts"
import { examples } from "../../platform/http/examples.ts"
import { UNAUDITED } from "./unaudited.ts"

beforeAll(() => {
  fakeInternet()
})

interface Row {
  action: string
  actor_type: string
  actor_id: string
  actor_name: string
  object_id: string | null
  label: string | null
}

async function logOf({ id }: Pick<Team, "id">): Promise<Row[]> {
  await moveAuditEntries(directoryWork())
  const { results } = await env.DB.prepare("select * from audit_log where team_id = ? order by id")
    .bind(id)
    .all<Row>()
  return results
}

const writes = endpoints.filter(({ method, access }) => method !== "GET" && access !== "public")

const STALE = "You signed in more than ten minutes ago: sign in again first."

describe("the audit log", () => {
  it.each(writes.map((one) => [`${one.method} ${one.path}`, one] as const))(
    "of %s",
    async (name, one) => {
      const team = await makeTeam()
      const { path, body } = await examples[name]!(team)
      const before = (await logOf(team)).length
      const reply = await request(one.method, `/api/v1${path}`, body, {
        authorization: `Bearer ${team.api.key}`,
      })
      expect(reply.status).toBe(one.status)
      const noted = (await logOf(team)).slice(before)
      if (one.name in UNAUDITED) return expect(noted).toEqual([])
      expect(noted).toHaveLength(1)
      const [entry] = noted
      expect(entry).toMatchObject({ action: one.name, actor_type: "key", actor_name: "Test" })
      expect(entry?.label).toEqual(expect.any(String))
      if (reply.body.id && one.path !== "/emails") expect(entry?.object_id).toBe(reply.body.id)
      expect(JSON.stringify(noted)).not.toContain(reply.body.secret ?? "svc_live_")
    },
  )

  it("costs one row more, and no round trip", async () => {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, "owner")
    const change = () => request("PATCH", "/dashboard/api/team", { trackOpens: true }, { cookie })
    await change()
    const cost = await metered(change)
    expect(cost).toMatchObject({ roundTrips: 2 + PERSON_ROUND_TRIPS, rowsWritten: 2 })
  })

  it("has no entry of a change that was refused or changed nothing", async () => {
    const team = await makeTeam()
    await team.api.delete(`/webhooks/${newId("webhook")}`)
    await team.api.delete("/suppressions/nobody@example.com")
    await team.api.post("/api-keys", { name: "" })
    await team.api.post("/templates", { name: "no slug" })
    expect(await logOf(team)).toEqual([])
  })

  it("notes a changed password, and no attempt with a wrong one", async () => {
    const team = await makeTeam()
    const owner = await makePerson(team.id, "owner")
    const change = (currentPassword: string) =>
      owner.post("/profile/password", { currentPassword, newPassword: "quite another password" })
    expect((await change("a wrong one")).status).toBe(403)
    expect(await logOf(team)).toEqual([])
    expect((await change(PASSWORD)).status).toBe(204)
    expect(await logOf(team)).toMatchObject([{ action: "profile.changePassword" }])
  })

  it("notes a new passkey, and none that answers another challenge", async () => {
    const team = await makeTeam()
    const owner = await makePerson(team.id, "owner")
    const start = () => owner.post("/passkeys/options")
    const add = (answered: Reply, started: Reply) => {
      const response = makeAuthenticator({ origin: ORIGIN }).create(answered.body)
      const cookie = `${owner.cookie}; ${cookieOf(started)}`
      return owner.post("/passkeys", { name: "Laptop", response }, { cookie })
    }
    const [first, second, third] = [await start(), await start(), await start()]
    expect((await add(first, second)).status).toBe(400)
    expect(await logOf(team)).toEqual([])
    expect((await add(third, third)).status).toBe(201)
    expect(await logOf(team)).toMatchObject([{ action: "passkeys.create" }])
  })

  it("lets a person add a passkey within ten minutes of signing in", async () => {
    const owner = await makePerson((await makeTeam()).id, "owner")
    const signedIn = (minutesAgo: number) =>
      directory
        .prepare("update sessions set created_at = ? where user_id = ?")
        .bind(Date.now() - minutesAgo * 60_000, owner.id)
        .run()
    await signedIn(9)
    expect((await owner.post("/passkeys/options")).status).toBe(200)
    await signedIn(11)
    const reply = await owner.post("/passkeys/options")
    expect([reply.status, reply.body.error.message]).toEqual([403, STALE])
    expect((await owner.get("/profile")).body.canAddPasskey).toBe(false)
  })

  it("has no entry of an invitation that is refused to a member", async () => {
    const team = await makeTeam()
    const owner = await makePerson(team.id, "owner")
    const member = await makePerson(team.id, "member")
    await directory
      .prepare(
        `insert into invitations (team_id, id, email, role, mailed_hash, copied_hash, created_at, expires_at)
       values (?1, ?2, ?3, 'member', ?2, ?2, 1, 1)`,
      )
      .bind(team.id, newId("invitation"), member.email)
      .run()
    const invited = await owner.post("/invitations", { email: member.email, role: "member" })
    expect(invited.status).toBe(409)
    expect(await logOf(team)).toEqual([])
  })

  it("has no entry for a dry run of an import", async () => {
    const team = await makeTeam()
    const owner = await makePerson(team.id, "owner")
    const { body: book } = await owner.post("/contact-books", { name: "Readers" })
    const before = await logOf(team)
    const path = `/contact-books/${book.id}/contacts/import`
    const csv = "email\nada@example.com\nnope"
    const tried = await owner.post(path, { csv, dryRun: true })
    expect(tried).toMatchObject({ status: 200, body: { imported: 1 } })
    expect(await logOf(team)).toEqual(before)
    await owner.post(path, { csv })
    expect((await logOf(team)).map(({ action }) => action)).toEqual([
      "contactBooks.create",
      "contactBooks.import",
    ])
  })

  it("names the deleted object, and hides a webhook's path", async () => {
    const team = await makeTeam()
    const { body } = await team.api.post("/webhooks", {
      url: "https://hooks.example.com/secret-path?token=1",
      events: ["email.sent"],
    })
    await team.api.delete(`/webhooks/${body.id}`)
    const suppressed = await team.api.post("/suppressions", { email: "ada@example.com" })
    await team.api.delete("/suppressions/ada%40example.com")
    expect((await logOf(team)).map((one) => [one.action, one.object_id, one.label])).toEqual([
      ["webhooks.create", body.id, "hooks.example.com"],
      ["webhooks.delete", body.id, "hooks.example.com"],
      ["suppressions.add", suppressed.body.id, "ada@example.com"],
      ["suppressions.remove", suppressed.body.id, "ada@example.com"],
    ])
  })

  it("is read newest first by owners and admins, with filters", async () => {
    const team = await makeTeam()
    const cookie = cookieOf(await signIn(await addPerson(team.id, "admin")))
    await team.api.post("/api-keys", { name: "One" })
    await request("POST", "/dashboard/api/templates", {}, { cookie })
    await request("PATCH", "/dashboard/api/team", { name: "Renamed" }, { cookie })
    await moveAuditEntries(directoryWork())
    const read = async (query = "") =>
      (await request("GET", `/dashboard/api/audit-log${query}`, undefined, { cookie })).body
    const { data } = await read()
    expect(data.map(({ action }: { action: string }) => action)).toEqual([
      "team.update",
      "apiKeys.create",
      "sessions.signIn",
    ])
    expect(data[0]).toMatchObject({
      actor: { type: "user", name: "Somebody" },
      object: { type: "team", id: null, label: "Renamed" },
    })
    expect((await read(`?actorId=${data[0].actor.id}`)).data).toHaveLength(2)
    expect((await read("?objectType=apiKeys")).data).toEqual([data[1]])
    expect((await read(`?objectId=${data[1].object.id}`)).data).toEqual([data[1]])
    expect((await read("?q=RENAMED+team")).data).toEqual([data[0]])
    expect((await read("?q=renamed+nobody")).data).toEqual([])
    const page = await read("?limit=2")
    expect((await read(`?cursor=${page.nextCursor}`)).data).toEqual([data[2]])
  })

  it("is searched for words with capital letters beyond ASCII", async () => {
    const team = await makeTeam()
    const cookie = cookieOf(await signIn(await addPerson(team.id, "admin")))
    const { body: key } = await team.api.post("/api-keys", { name: "Östlund App" })
    for (const q of ["Östlund APP", "östlund", "ÖSTLUND"]) {
      const path = `/dashboard/api/audit-log?q=${encodeURIComponent(q)}`
      const { body } = await request("GET", path, undefined, { cookie })
      expect(body.data).toMatchObject([{ object: { id: key.id } }])
    }
  })

  it("looks through 1,000 entries for a filter, says how far, and goes on from there", async () => {
    const team = await makeTeam()
    const cookie = cookieOf(await signIn(await addPerson(team.id, "admin")))
    await team.api.post("/api-keys", { name: "Needle" })
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
       insert into audit_log (team_id, id, at, actor_type, action)
       select ?1, 'aud_' || substr('7ZZZZZZZZZ', 1, 10) || printf('%016d', i), 0, 'user', 'team.update' from n`,
    )
      .bind(team.id)
      .run()
    const read = async (query: string) =>
      (await request("GET", `/dashboard/api/audit-log?${query}`, undefined, { cookie })).body
    const first = await read("q=needle")
    expect(first).toMatchObject({ data: [], searchedUntil: expect.any(String) })
    const { data, ...rest } = await read(`q=needle&cursor=${first.nextCursor}`)
    expect(data).toMatchObject([{ object: { label: "Needle" } }])
    expect(rest).toEqual({ nextCursor: null })
  })

  it("loses an erased address, in every case, and entries after 400 days", async () => {
    const team = await makeTeam()
    const { work } = testWork()
    await team.api.post("/suppressions", { email: "ada@example.com" })
    await team.api.post("/contact-books", { name: "for Ada@Example.com only" })
    await team.api.post("/contact-books", { name: "for nada@example.com" })
    await eraseTexts(work, team.id, "ada@example.com")
    const gone = erasedForm(work.settings, "ada@example.com")
    expect((await logOf(team)).map(({ label }) => label)).toEqual([
      gone,
      `for ${gone} only`,
      "for nada@example.com",
    ])
    await env.DB.prepare("update audit_log set id = ? where team_id = ? and label = ?")
      .bind(firstIdAt("auditEntry", Date.now() - 401 * DAY_MS), team.id, gone)
      .run()
    await purgeAuditLog(work)
    expect(await logOf(team)).toHaveLength(2)
  })

  it("does not name the address of an erasure", async () => {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, "owner")
    await request("POST", "/dashboard/api/erasures", { email: "ada@example.com" }, { cookie })
    const last = (await logOf(team)).at(-1)
    expect(last).toMatchObject({ action: "erasures.create", label: null })
  })
})
