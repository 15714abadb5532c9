import { applyD1Migrations, createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { unsubscribeUrl } from "../../../../src/worker/contacts/links/recipient-link.ts"
import { unsubscribeAddress } from "../../../../src/worker/contacts/unsubscribe/unsubscribe.ts"
import { clickUrl, openUrl } from "../../../../src/worker/emails/tracking/links.ts"
import { workIn } from "../../../../src/worker/platform/db/databases.ts"
import { readSettings } from "../../../../src/worker/platform/env.ts"
import { createWork } from "../../../../src/worker/platform/work.ts"
import { followTeamOfLink } from "../../../../src/worker/teams/moving/team-database.ts"
import {
  createInstallation,
  type Installation,
  makeTeamElsewhere,
} from "../../../support/databases.ts"
import {
  askFor,
  closeSource,
  fencesIn,
  forgetMoves,
  goOn,
  goOnAndDie,
  goOnTo,
  goOnUntil,
  moveOf,
} from "../../../support/moving.ts"
import { rowsOfTeam } from "../../../support/rows-of-team.ts"
import { addPerson, createSession } from "../../../support/session.ts"

let installation: Installation
beforeAll(() => applyD1Migrations(env.SECOND, env.TEST_MIGRATIONS))
beforeEach(async () => {
  installation = createInstallation()
  await forgetMoves()
})
afterAll(forgetMoves)

type Elsewhere = Awaited<ReturnType<typeof makeTeamElsewhere>>

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

async function move(team: Elsewhere, source: number, target: number) {
  await askFor(team.id, source, target)
  await goOnTo(installation.env, team.id)
  await installation.deliver()
}

async function typesOf({ authorization }: Elsewhere, id: string): Promise<string[]> {
  const { body } = await installation.call("GET", `/api/v1/emails/${id}`, { authorization })
  return body.events.map(({ type }: { type: string }) => type).sort()
}

async function addContact({ authorization }: Elsewhere, email: string) {
  const { body: book } = await installation.call("POST", "/api/v1/contact-books", {
    authorization,
    body: { name: "Book" },
  })
  const path = `/api/v1/contact-books/${book.id}/contacts`
  await installation.call("POST", path, { authorization, body: { email } })
  return { bookId: book.id, path }
}

/** There and back: into the directory, and out of it again. */
describe.each([
  ["the directory", false, 1],
  ["another database", true, 2],
] as const)("a team that moved to %s", (_, isBack, target) => {
  let team: Elsewhere
  let emailId = ""
  beforeEach(async () => {
    team = await makeTeamElsewhere()
    emailId = (await send(team)).body.id
    await installation.deliver()
    await move(team, 2, 1)
    if (!isBack) return
    await askFor(team.id, 1, 2)
    await goOn(installation.env)
    await goOnTo(installation.env, team.id)
    await installation.deliver()
  })

  it("keeps its keys, makes others, and revokes them at once", async () => {
    expect((await send(team)).status).toBe(201)
    const created = await installation.call("POST", "/api/v1/api-keys", {
      authorization: team.authorization,
      body: { name: "New" },
    })
    expect(created.status).toBe(201)
    const authorization = `Bearer ${created.body.secret}`
    expect((await installation.call("GET", "/api/v1/me", { authorization })).status).toBe(200)
    const revoked = await installation.call("DELETE", `/api/v1/api-keys/${team.keyId}`, {
      authorization,
    })
    expect(revoked.status).toBe(204)
    expect((await installation.call("GET", "/api/v1/me", team)).status).toBe(401)
  })

  it("sends mail once, from a claim of the right database", async () => {
    const { body } = await send(team)
    await installation.deliver()
    expect(await typesOf(team, body.id)).toEqual(["delivered", "sent"])
  })

  it("is found by links of earlier mail", async () => {
    const settings = readSettings(env)
    const ref = { teamId: team.id, emailId, database: 2 }
    const links = [
      await openUrl(settings, ref),
      await clickUrl(settings, ref, "https://example.com/"),
    ]
    for (const link of links) await installation.call("GET", new URL(link).pathname)
    await installation.deliver()
    expect(await typesOf(team, emailId)).toEqual(["clicked", "delivered", "opened", "sent"])

    const { bookId, path } = await addContact(team, "ada@example.com")
    const subscriber = { teamId: team.id, email: "ada@example.com", bookId, database: 2 }
    const url = new URL(unsubscribeUrl(settings, subscriber))
    expect((await installation.call("POST", url.pathname)).status).toBe(200)
    const { body } = await installation.call("GET", `${path}?subscribed=false`, team)
    expect(body.data).toHaveLength(1)
  })

  it("is found by a link whose form comes when it has left", async () => {
    await addContact(team, "eve@example.com")
    const earlier = workIn(createWork(installation.env, createExecutionContext()), 3 - target)
    const unsubscribed = await followTeamOfLink(earlier, team.id, (work) =>
      unsubscribeAddress(work, {
        ...{ teamId: team.id, email: "eve@example.com", reason: null },
        actor: { by: "link", actorId: null },
      }),
    )
    expect(unsubscribed).toBe(1)
  })

  it("is found by its people, and keeps the claim of its domain", async () => {
    const person = await addPerson(team.id, "owner")
    const cookie = await createSession(person)
    const list = await installation.call("GET", "/dashboard/api/emails", { cookie })
    expect(list.body.data.map(({ id }: { id: string }) => id)).toContain(emailId)
    const rival = await makeTeamElsewhere()
    const claimed = await installation.call("POST", "/api/v1/domains", {
      authorization: rival.authorization,
      body: { name: team.domain },
    })
    expect(claimed.status).toBe(409)
    const place = await env.DB.prepare("select database from team_databases where team_id = ?")
      .bind(team.id)
      .first()
    expect(place).toEqual(target === 1 ? null : { database: 2 })
  })
})

describe("a move whose process dies again and again", () => {
  it("ends with nothing lost, doubled or stuck", async () => {
    const team = await makeTeamElsewhere()
    const { authorization } = team
    const accepted: string[] = []
    const call = async (body?: object) => {
      const reply = await send(team, body)
      if (reply.status === 201) accepted.push(reply.body.id)
      else expect(reply.status).toBe(503)
    }
    for (let n = 0; n < 4; n++) await call({ subject: `Before ${n}` })
    await installation.deliver()
    await askFor(team.id, 2, 1)
    let room = 17
    for (let deaths = 0; (await moveOf(team.id))?.phase !== "kept"; deaths++) {
      expect(deaths).toBeLessThan(60)
      let left = room
      await goOnAndDie(installation.env, () => left-- <= 0)
      await call({ subject: `After ${deaths}` })
      const suppression = { email: `x${deaths}@example.com`, reason: "manual" }
      const added = await installation.call("POST", "/api/v1/suppressions", {
        authorization,
        body: suppression,
      })
      expect([201, 503]).toContain(added.status)
      if ((await moveOf(team.id))?.phase !== "copying") {
        const moves = installation.sent.filter(({ message }) => "moves" in message)
        installation.sent.splice(
          0,
          installation.sent.length,
          ...installation.sent.filter((one) => !moves.includes(one)),
        )
        await installation.deliver()
      }
      // The last part, behind the fence, is done in one go.
      room = Math.ceil(room * 1.35)
    }
    installation.sent.push({ message: { kind: "minutes" }, delaySeconds: 0 })
    await installation.deliver()
    const { emails = [], suppressions = [] } = await rowsOfTeam(env.DB, team.id)
    expect(emails.map(({ id }) => id)).toEqual([...accepted].sort())
    expect(emails.map(({ status }) => status)).toEqual(accepted.map(() => "delivered"))
    for (const id of accepted) expect(await typesOf(team, id)).toEqual(["delivered", "sent"])
    const stats = await env.DB.prepare(
      "select sum(sent) as sent, sum(delivered) as delivered from stats_days where team_id = ?",
    )
      .bind(team.id)
      .first()
    expect(stats).toEqual({ sent: accepted.length, delivered: accepted.length })
    expect(suppressions.length).toBeGreaterThan(0)
  })
})

it("an address is erased before its team is copied, and not meanwhile", async () => {
  const team = await makeTeamElsewhere()
  const cookie = await createSession(await addPerson(team.id, "owner"))
  for (const to of ["ada@example.com", "bob@example.com"]) await send(team, { to })
  await installation.deliver()
  const erase = (email: string) =>
    installation.call("POST", "/dashboard/api/erasures", { cookie, body: { email } })
  await askFor(team.id, 2, 1)
  await goOnUntil(installation.env, async () => (await fencesIn(env.SECOND)).length > 0)
  expect((await erase("ada@example.com")).status).toBe(200)
  await closeSource(installation.env, team.id, env.SECOND)
  expect((await erase("bob@example.com")).status).toBe(503)
  await goOnTo(installation.env, team.id)
  const addresses = JSON.stringify((await rowsOfTeam(env.DB, team.id)).email_recipients)
  expect(addresses).toContain("bob@example.com")
  expect(addresses).not.toContain("ada@example.com")
})
