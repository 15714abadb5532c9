import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import type { Role } from "../../../../src/worker/access/people/contract.ts"
import { forgetOldAttempts } from "../../../../src/worker/access/people/sign-in/attempts.ts"
import { commit } from "../../../../src/worker/platform/db/commit.ts"
import { load, type Stored } from "../../../../src/worker/platform/db/overflow.ts"
import { suppressErased } from "../../../../src/worker/suppressions/erased.ts"
import { moveAuditEntries } from "../../../../src/worker/teams/audit/move-entries.ts"
import { forgetOldInvitations } from "../../../../src/worker/teams/members/invitations.ts"
import { createApi, request } from "../../../support/api.ts"
import { eventually } from "../../../support/eventually.ts"
import { databasesOf, directory } from "../../../support/installation.ts"
import { cookieOf, makePerson, PASSWORD, type Person, signIn } from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"
import { directoryWork, makeClock, testWork } from "../../../support/work.ts"

const auth = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  request("POST", `/dashboard/auth${path}`, body, headers)

const tokenIn = (text: string) => /#token=([\w-]+)/.exec(text)?.[1] ?? ""

const mailTo = async (address: string, text = /./) => (await messageTo(address, text)).text

interface Mail {
  subject: string
  text: string
}

/** The service's newest mail to an address with this in its text. */
const messageTo = (address: string, text = /./) =>
  eventually(async () => {
    const found = await Promise.all(
      databasesOf(env).map((db) =>
        db
          .prepare(
            `select body, object_key as objectKey from sandbox_messages
             where team_id = 'system' and instr(recipients, ?) > 0 order by email_id desc`,
          )
          .bind(address)
          .first<Stored>(),
      ),
    )
    const stored = found.find((one) => one !== null)
    const packed = stored && (await load(env, stored))
    const mail: Mail = JSON.parse(packed?.toString("utf8") ?? "{}")
    expect(mail.text).toMatch(text)
    return mail
  })

describe("members", () => {
  it("the last owner cannot leave, be removed or be made less", async () => {
    const { id } = await makeTeam()
    const owner = await makePerson(id, "owner")
    await makePerson(id, "admin")
    for (const reply of [
      await owner.post("/team/leave"),
      await owner.delete(`/members/${owner.id}`),
      await owner.patch(`/members/${owner.id}`, { role: "member" }),
    ]) {
      expect(reply).toMatchObject({ status: 409, body: { error: { code: "conflict" } } })
    }
    const second = await makePerson(id, "owner")
    expect((await owner.post("/team/leave")).status).toBe(204)
    expect((await owner.get("/session")).status).toBe(403)
    expect((await second.post("/team/leave")).status).toBe(409)
  })

  it("if two owners leave at the same time, one stays", async () => {
    const { id } = await makeTeam()
    const [a, b] = [await makePerson(id, "owner"), await makePerson(id, "owner")]
    const replies = await Promise.all([a.post("/team/leave"), b.post("/team/leave")])
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 409])
  })

  it("an admin changes admins and members, but no owner", async () => {
    const { id } = await makeTeam()
    const [owner, admin, member] = [
      await makePerson(id, "owner"),
      await makePerson(id, "admin"),
      await makePerson(id, "member"),
    ]
    const { body: ofOwner } = await owner.post("/invitations", { email: "b@b.test", role: "owner" })
    for (const reply of [
      await admin.patch(`/members/${owner.id}`, { role: "admin" }),
      await admin.patch(`/members/${admin.id}`, { role: "owner" }),
      await admin.patch(`/members/${member.id}`, { role: "owner" }),
      await admin.delete(`/members/${owner.id}`),
      await admin.post("/invitations", { email: "a@b.test", role: "owner" }),
      await admin.post(`/invitations/${ofOwner.id}/resend`),
    ]) {
      expect(reply.status).toBe(403)
    }
    expect((await admin.delete(`/invitations/${ofOwner.id}`)).status).toBe(404)
    const changed = await admin.patch(`/members/${member.id}`, { role: "admin" })
    expect(changed.body).toMatchObject({ id: member.id, role: "admin" })
    expect((await admin.get("/members")).body.data.map((one: { id: string }) => one.id)).toEqual(
      [member.id, admin.id, owner.id].sort().reverse(),
    )
    expect((await admin.delete(`/members/${member.id}`)).status).toBe(204)
    expect((await member.get("/session")).status).toBe(403)
    expect((await admin.delete(`/members/${member.id}`)).status).toBe(404)
  })

  it("another team's member is unknown", async () => {
    const owner = await makePerson((await makeTeam()).id, "owner")
    const other = await makePerson((await makeTeam()).id, "member")
    expect((await owner.patch(`/members/${other.id}`, { role: "admin" })).status).toBe(404)
    expect((await owner.delete(`/members/${other.id}`)).status).toBe(404)
  })

  it("an owner makes another team and is its owner", async () => {
    const owner = await makePerson((await makeTeam()).id, "owner")
    const made = await owner.post("/teams", { name: "Second" })
    expect(made).toMatchObject({ status: 201, body: { name: "Second", role: "owner" } })
    const { body } = await request("GET", "/dashboard/api/session", undefined, {
      cookie: owner.cookie,
      "x-team-id": made.body.id,
    })
    expect(body).toMatchObject({ team: { id: made.body.id }, role: "owner" })
    expect((await owner.get("/teams")).body.data[0]).toEqual(made.body)
  })
})

describe("an invitation", () => {
  const invite = async (email: string, role: Role = "member") => {
    const team = await makeTeam()
    const owner = await makePerson(team.id, "owner")
    const { body } = await owner.post("/invitations", { email, role })
    return { team, owner, body, token: tokenIn(body.link) }
  }
  const fresh = () => `${crypto.randomUUID()}@invited.test`
  /** Puts 99 more beside an invitation. */
  const fillUp = (id: string, expiresAt: number) =>
    directory
      .prepare(
        `insert or replace into invitations
           (team_id, id, email, role, mailed_hash, copied_hash, created_at, expires_at)
         select i.team_id, 'inv_' || n.value, n.value || i.email, i.role,
           n.value || i.mailed_hash, n.value || i.copied_hash, i.created_at, ?
         from invitations i, json_each(?) n where i.id = ?`,
      )
      .bind(expiresAt, JSON.stringify(Array.from({ length: 99 }, (_, i) => i)), id)
      .run()
  const asNew = (token: string) =>
    auth("/invitations/accept", { token, name: "New", password: PASSWORD })

  it("is accepted once by a new person, who is signed in", async () => {
    const email = fresh()
    const { team, owner, token, body } = await invite(email, "admin")
    expect(body).toMatchObject({ email, role: "admin", mailed: true })
    expect(JSON.stringify((await owner.get("/invitations")).body)).not.toContain(token)
    const read = await auth("/invitations/read", { token })
    expect(read.body).toMatchObject({ team: { id: team.id }, email, hasAccount: null })
    const accepted = await asNew(token)
    expect(accepted).toMatchObject({ status: 200, body: { role: "admin", user: { email } } })
    const cookie = cookieOf(accepted)
    const session = await request("GET", "/dashboard/api/session", undefined, { cookie })
    expect(session.body).toMatchObject({ team: { id: team.id }, role: "admin" })
    expect((await asNew(token)).status).toBe(404)
    expect((await auth("/invitations/read", { token })).status).toBe(404)
    expect((await owner.get("/invitations")).body.data).toEqual([])
    await moveAuditEntries(directoryWork())
    const log = (await owner.get("/audit-log")).body.data
    expect(log.map((one: { action: string }) => one.action)).toContain("invitations.accept")
    const verified = await directory
      .prepare("select email_verified as v from users where email = ?")
      .bind(email)
      .first("v")
    expect(verified).toBe(0)
  })

  it("that was mailed verifies the address, and is in no list of the team", async () => {
    const email = fresh()
    const { owner, token } = await invite(email)
    const mailed = tokenIn(await mailTo(email))
    expect(mailed).toMatch(/^[\w-]{43}$/)
    expect(mailed).not.toBe(token)
    for (const path of ["/emails", "/sandbox/messages"]) {
      expect((await owner.get(path)).body.data).toEqual([])
    }
    expect((await asNew(mailed)).status).toBe(200)
    const verified = await directory
      .prepare("select email_verified as v from users where email = ?")
      .bind(email)
      .first("v")
    expect(verified).toBe(1)
  })

  it("is accepted once by two calls at the same time", async () => {
    const { token } = await invite(fresh())
    const statuses = (await Promise.all([asNew(token), asNew(token)])).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })

  it("needs a session if its address has an account", async () => {
    const guest = await makePerson((await makeTeam()).id, "member")
    const stranger = await makePerson((await makeTeam()).id, "owner")
    const { team, token } = await invite(guest.email)
    expect((await asNew(token)).status).toBe(409)
    const asStranger = await auth("/invitations/accept", { token }, { cookie: stranger.cookie })
    expect(asStranger.status).toBe(403)
    const read = await auth("/invitations/read", { token }, { cookie: stranger.cookie })
    expect(read.body).toMatchObject({ hasAccount: null, signedInAs: stranger.email })
    const mailed = tokenIn(await mailTo(guest.email))
    expect((await auth("/invitations/read", { token: mailed })).body.hasAccount).toBe(true)
    const joined = await auth("/invitations/accept", { token }, { cookie: guest.cookie })
    expect(joined).toMatchObject({ status: 200, body: { role: "member", user: { id: guest.id } } })
    const teams = (await guest.get("/teams")).body.data.map(({ id }: { id: string }) => id)
    expect(teams).toContain(team.id)
    expect((await auth("/invitations/accept", { token }, { cookie: guest.cookie })).status).toBe(
      404,
    )
  })

  it("is the team's: it stays valid when its maker is removed, and can be revoked", async () => {
    const { id } = await makeTeam()
    const [owner, admin] = [await makePerson(id, "owner"), await makePerson(id, "admin")]
    const make = () => admin.post("/invitations", { email: fresh(), role: "member" })
    const [{ body: kept }, { body: revoked }] = [await make(), await make()]
    expect((await owner.delete(`/members/${admin.id}`)).status).toBe(204)
    expect((await owner.delete(`/invitations/${revoked.id}`)).status).toBe(204)
    expect((await asNew(tokenIn(kept.link))).body).toMatchObject({ team: { id }, role: "member" })
    expect((await asNew(tokenIn(revoked.link))).status).toBe(404)
  })

  it("that is revoked, resent or expired no longer works", async () => {
    const revoked = await invite(fresh())
    expect((await revoked.owner.delete(`/invitations/${revoked.body.id}`)).status).toBe(204)
    expect((await asNew(revoked.token)).status).toBe(404)

    const resent = await invite(fresh())
    const again = await resent.owner.post(`/invitations/${resent.body.id}/resend`)
    expect((await asNew(resent.token)).status).toBe(404)
    expect((await asNew(tokenIn(again.body.link))).status).toBe(200)

    const old = await invite(fresh())
    await directory
      .prepare("update invitations set expires_at = ? where id = ?")
      .bind(Date.now() - 1, old.body.id)
      .run()
    expect((await asNew(old.token)).status).toBe(404)
    const clock = makeClock()
    clock.advance(31 * 86_400_000)
    await forgetOldInvitations(directoryWork({ clock }))
    expect((await old.owner.get("/invitations")).body.data).toEqual([])
  })

  it("that is resent after weeks works for its seven days", async () => {
    const { owner, body } = await invite(fresh())
    await directory
      .prepare("update invitations set created_at = ? where id = ?")
      .bind(Date.now() - 29 * 86_400_000, body.id)
      .run()
    const again = await owner.post(`/invitations/${body.id}/resend`)
    const clock = makeClock()
    clock.advance(6 * 86_400_000)
    await forgetOldInvitations(directoryWork({ clock }))
    expect((await asNew(tokenIn(again.body.link))).status).toBe(200)
  })

  it("is mailed three times a day to an address, and then only shown", async () => {
    const email = fresh()
    const mailed: boolean[] = []
    for (let team = 0; team < 5; team++) mailed.push((await invite(email)).body.mailed)
    expect(mailed).toEqual([true, true, true, false, false])
  })

  it("is not mailed to a suppressed or erased address", async () => {
    const team = await makeTeam()
    const owner = await makePerson(team.id, "owner")
    const [suppressed, erased] = [fresh(), fresh()]
    await team.api.post("/suppressions", { email: suppressed })
    const { work } = testWork()
    await commit(work, { suppressed: suppressErased(work, team.id, erased) })
    for (const email of [suppressed, erased]) {
      const { status, body } = await owner.post("/invitations", { email, role: "member" })
      expect([status, body.mailed]).toEqual([201, false])
    }
  })

  it("is made 50 times a day by a team", async () => {
    const { id } = await makeTeam()
    const [owner, admin] = [await makePerson(id, "owner"), await makePerson(id, "admin")]
    const make = (by: Person) => by.post("/invitations", { email: fresh(), role: "member" })
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, i) => make(i % 2 ? owner : admin)),
    )
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]))
    for (const by of [owner, admin]) {
      const { status, headers } = await make(by)
      expect([status, headers.get("retry-after")]).toEqual([429, "3600"])
    }
  })

  it("is refused beside 100 pending ones, among which expired ones do not count", async () => {
    const { owner, body } = await invite(fresh())
    const make = () => owner.post("/invitations", { email: fresh(), role: "member" })
    await fillUp(body.id, Date.now() + 86_400_000)
    expect((await make()).status).toBe(409)
    await fillUp(body.id, Date.now() - 1)
    expect((await make()).status).toBe(201)
  })

  it("that has expired is not sent again beside 100 pending ones", async () => {
    const { owner, body } = await invite(fresh())
    await fillUp(body.id, Date.now() + 86_400_000)
    const resend = () => owner.post(`/invitations/${body.id}/resend`)
    expect((await resend()).status).toBe(200)
    await directory
      .prepare("update invitations set expires_at = 1 where id = ?")
      .bind(body.id)
      .run()
    expect((await owner.post("/invitations", { email: fresh(), role: "member" })).status).toBe(201)
    const refused = await resend()
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "conflict" } } })
    expect((await owner.delete("/invitations/inv_0")).status).toBe(204)
    expect((await resend()).status).toBe(200)
  })

  it("has no name in its subject, and names of people and teams have no URL", async () => {
    const email = fresh()
    await invite(email)
    expect((await messageTo(email)).subject).toBe("Invitation to a team on Edgepost")
    const owner = await makePerson((await makeTeam()).id, "owner")
    for (const name of ["Sign in at https://a.test", "www.a.test", "Go to a.test/x"]) {
      expect((await owner.patch("/profile", { name })).status).toBe(400)
      expect((await owner.post("/teams", { name })).status).toBe(400)
      expect((await owner.patch("/team", { name })).status).toBe(400)
    }
    expect((await owner.post("/teams", { name: "Dr. A. B.Jones & Co." })).status).toBe(201)
  })

  it("is refused for a member and for an address that has one pending", async () => {
    const { owner, body } = await invite(fresh())
    for (const email of [owner.email, body.email]) {
      expect((await owner.post("/invitations", { email, role: "member" })).status).toBe(409)
    }
  })
})

describe("a reset of the password", () => {
  const ask = (email: string) => auth("/password-reset", { email })

  it("sets the password once and ends all sessions", async () => {
    const owner = await makePerson((await makeTeam()).id, "owner")
    expect(await ask(owner.email)).toMatchObject({ status: 202, body: { sent: true } })
    const token = tokenIn(await mailTo(owner.email))
    const stored = await directory.prepare("select * from password_resets").all()
    expect(JSON.stringify(stored.results)).not.toContain(token)
    const reset = () => auth("/password-reset/complete", { token, password: "a better password" })
    const statuses = (await Promise.all([reset(), reset()])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([204, 404])
    expect((await owner.get("/session")).status).toBe(401)
    expect((await signIn(owner.email)).status).toBe(401)
    expect((await signIn(owner.email, "a better password")).status).toBe(200)
  })

  it("gives the same reply for an unknown address, and one without a sender", async () => {
    const { id } = await makeTeam()
    const owner = await makePerson(id, "owner")
    await env.DB.prepare("delete from domains where team_id = ?").bind(id).run()
    const replies = [await ask("nobody@unknown.test"), await ask(owner.email)]
    expect(replies.map(({ status, body }) => [status, body])).toEqual([
      [202, { sent: true }],
      [202, { sent: true }],
    ])
  })

  it("expires after two hours", async () => {
    const owner = await makePerson((await makeTeam()).id, "owner")
    await ask(owner.email)
    const token = tokenIn(await mailTo(owner.email))
    await directory
      .prepare("update password_resets set expires_at = ? where user_id = ?")
      .bind(Date.now() - 1, owner.id)
      .run()
    const late = await auth("/password-reset/complete", { token, password: "a better password" })
    expect(late.status).toBe(404)
  })

  it("is mailed three times an hour, and no flood of requests locks the person out", async () => {
    const owner = await makePerson((await makeTeam()).id, "owner")
    for (let count = 0; count < 5; count++) expect((await ask(owner.email)).status).toBe(202)
    const links = "select count(*) as count from password_resets where user_id = ?"
    const countLinks = () => directory.prepare(links).bind(owner.id).first("count")
    await eventually(async () => expect(await countLinks()).toBe(3))
    const token = tokenIn(await mailTo(owner.email))
    await forgetOldAttempts(testWork().work)
    await ask(owner.email)
    const done = await auth("/password-reset/complete", { token, password: "a better password" })
    expect(done.status).toBe(204)
    expect(await countLinks()).toBe(0)
  })

  it("removes passkeys, and what a stranger gave an address that was never verified", async () => {
    const owner = await makePerson((await makeTeam()).id, "owner")
    await directory.batch([
      directory.prepare("update users set email_verified = 0 where id = ?").bind(owner.id),
      directory
        .prepare(
          `insert into passkeys (credential_id, id, user_id, public_key, counter, device_type, backed_up, created_at)
         values (?, 'p', ?, '', 0, 'singleDevice', 0, 0)`,
        )
        .bind(owner.id, owner.id),
    ])
    await ask(owner.email)
    const token = tokenIn(await mailTo(owner.email))
    await auth("/password-reset/complete", { token, password: "a better password" })
    const left = await directory
      .prepare("select * from passkeys where user_id = ?")
      .bind(owner.id)
      .all()
    expect(left.results).toEqual([])
    const name = await directory
      .prepare("select name from users where id = ?")
      .bind(owner.id)
      .first("name")
    expect(name).toBe(owner.email.split("@")[0])
    expect(await mailTo(owner.email, /Your password was set anew/)).toContain("/dashboard/account")
  })
})

describe("the profile", () => {
  it("changes the password with the current one, and ends the other sessions", async () => {
    const owner = await makePerson((await makeTeam()).id, "owner")
    const other = cookieOf(await signIn(owner.email))
    const change = (currentPassword: string) =>
      owner.post("/profile/password", { currentPassword, newPassword: "a better password" })
    expect((await change("wrong")).status).toBe(403)
    expect((await change(PASSWORD)).status).toBe(204)
    expect(await mailTo(owner.email, /Your password was changed/)).toContain("/dashboard/account")
    expect((await owner.get("/session")).status).toBe(200)
    const ended = await request("GET", "/dashboard/api/session", undefined, { cookie: other })
    expect(ended.status).toBe(401)
    expect((await owner.get("/profile")).body).toMatchObject({
      hasPassword: true,
      providers: [],
      canAddPasskey: true,
    })
    expect((await owner.patch("/profile", { name: "Ada" })).body.name).toBe("Ada")
  })

  it("may not be a common one, nor the person's address", async () => {
    const person = await makePerson((await makeTeam()).id, "member")
    const change = (newPassword: string) =>
      person.post("/profile/password", { currentPassword: PASSWORD, newPassword })
    const local = person.email.split("@", 1).join()
    for (const bad of ["1234567890", "QwertyUiop", person.email.toUpperCase(), local]) {
      const reply = await change(bad)
      expect([reply.status, reply.body.error.details?.[0].path]).toEqual([400, ["newPassword"]])
    }
    expect((await change("a rare set of words")).status).toBe(204)
  })

  it("refuses the second of two password changes at the same time", async () => {
    const owner = await makePerson((await makeTeam()).id, "owner")
    const passwords = ["a better password", "another password"]
    const replies = await Promise.all(
      passwords.map((newPassword) =>
        owner.post("/profile/password", { currentPassword: PASSWORD, newPassword }),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 403])
    const set = passwords[replies.findIndex(({ status }) => status === 204)]
    expect((await signIn(owner.email, set)).status).toBe(200)
  })

  it("lists and ends one's own sessions only", async () => {
    const { id } = await makeTeam()
    const [owner, stranger] = [await makePerson(id, "owner"), await makePerson(id, "owner")]
    const firefox = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0"
    const other = cookieOf(await signIn(owner.email, PASSWORD, { "user-agent": firefox }))
    const { data } = (await owner.get("/sessions")).body
    const [theirs] = (await stranger.get("/sessions")).body.data
    expect(
      data.map((one: { device: string; current: boolean }) => [one.device, one.current]),
    ).toEqual(
      expect.arrayContaining([
        ["Firefox on Windows", false],
        ["Unknown device", true],
      ]),
    )
    expect((await owner.delete(`/sessions/${theirs.id}`)).status).toBe(404)
    const ended = data.find(({ current }: { current: boolean }) => !current)
    expect((await owner.delete(`/sessions/${ended.id}`)).status).toBe(204)
    const gone = await request("GET", "/dashboard/api/session", undefined, { cookie: other })
    expect(gone.status).toBe(401)
    expect((await owner.delete("/sessions")).status).toBe(204)
    expect((await owner.get("/session")).status).toBe(401)
    expect((await stranger.get("/session")).status).toBe(200)
  })
})

it("API keys may not make calls about people", async () => {
  const { api } = await makeTeam()
  expect((await createApi(api.key).get("/members")).status).toBe(404)
})
