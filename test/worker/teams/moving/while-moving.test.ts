import { applyD1Migrations } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { QueueMessage } from "../../../../src/worker/consume.ts"
import { reportOf } from "../../../../src/worker/emails/outcomes/report.ts"
import { askCancel } from "../../../../src/worker/teams/moving/request.sql.ts"
import {
  createInstallation,
  type Installation,
  makeTeamElsewhere,
} from "../../../support/databases.ts"
import {
  askFor,
  closeSource,
  endLease,
  forgetMoves,
  goOn,
  goOnTo,
  moveOf,
} from "../../../support/moving.ts"
import { runIn } from "../../../support/rows-of-team.ts"

let installation: Installation
beforeAll(() => applyD1Migrations(env.SECOND, env.TEST_MIGRATIONS))
beforeEach(async () => {
  installation = createInstallation()
  await forgetMoves()
  // The batches of earlier tests have no emails, so nothing takes them.
  for (const db of [env.DB, env.SECOND]) await db.prepare("delete from campaign_batches").run()
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

const readEmail = async ({ authorization }: Elsewhere, id: string) =>
  (await installation.call("GET", `/api/v1/emails/${id}`, { authorization })).body
const statusOf = async (team: Elsewhere, id: string) => (await readEmail(team, id)).status
const typesOf = async (team: Elsewhere, id: string): Promise<string[]> =>
  (await readEmail(team, id)).events.map(({ type }: { type: string }) => type)

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

/** Asks for a move to the directory, and goes on until the team cannot write. */
async function close(team: Elsewhere) {
  await askFor(team.id, 2, 1)
  await closeSource(installation.env, team.id, env.SECOND)
  dropMovesMessages()
}

const kindsInQueue = () => installation.sent.map(({ message }) => message.kind)

/** The test decides when the move goes on. */
function dropMovesMessages() {
  const { sent } = installation
  sent.splice(0, sent.length, ...sent.filter(({ message }) => !("moves" in message)))
}

async function takeBack(team: Elsewhere) {
  await runIn(env.DB, askCancel(team.id))
  expect(await goOnTo(installation.env, team.id, [])).toBeUndefined()
}

/** A consumer has claimed what the table has of the team. */
const lease = (table: "emails" | "deliveries", team: Elsewhere, until: number) =>
  env.SECOND.prepare(
    `update ${table} set not_before = ? ${table === "emails" ? ", status = 'sending'" : ""}
     where team_id = ?`,
  )
    .bind(until, team.id)
    .run()

describe("before a team is copied", () => {
  it("its last lease ends, it can write, and none of its mail is claimed", async () => {
    const [team, other] = [await makeTeamElsewhere(), await makeTeamElsewhere()]
    await send(team)
    await lease("emails", team, Date.now() + 40_000)
    await askFor(team.id, 2, 1)
    await goOn(installation.env)
    await endLease()
    await goOn(installation.env)
    expect(await moveOf(team.id)).toMatchObject({ phase: "draining", fencedAt: null })
    expect(installation.sent.at(-1)).toMatchObject({ message: { moves: true }, delaySeconds: 2 })
    dropMovesMessages()

    const { status, body } = await send(team)
    expect(status).toBe(201)
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
    const { body: scheduled } = await send(team, { scheduledAt })
    await env.SECOND.prepare("update emails set not_before = 1 where id = ?")
      .bind(scheduled.id)
      .run()
    const { body: sent } = await send(other)
    await installation.deliver()
    await installation.minute()
    dropMovesMessages()
    await installation.deliver()
    expect(await statusOf(other, sent.id)).toBe("delivered")
    expect(await statusOf(team, body.id)).toBe("queued")
    expect(await statusOf(team, scheduled.id)).toBe("scheduled")

    await lease("emails", team, Date.now() - 2_000)
    await env.SECOND.prepare("update emails set status = 'queued' where team_id = ?")
      .bind(team.id)
      .run()
    await endLease()
    await goOnTo(installation.env, team.id)
    await installation.deliver()
    expect(await statusOf(team, body.id)).toBe("delivered")
  })

  it("the attempt at its webhook in flight ends, and none begins", async () => {
    const team = await makeTeamElsewhere()
    const { authorization } = team
    const { body: webhook } = await installation.call("POST", "/api/v1/webhooks", {
      authorization,
      body: { url: "https://receiver.example.com/", events: ["email.sent"] },
    })
    await send(team)
    installation.sent.splice(0)
    await installation.deliverThese([{ kind: "sends", teams: [team.id], dueAt: 0, database: 2 }])
    const deliveries = () =>
      env.SECOND.prepare("select not_before, attempts from deliveries where team_id = ?")
        .bind(team.id)
        .all()
    expect((await deliveries()).results).toHaveLength(1)
    const until = Date.now() + 40_000
    await lease("deliveries", team, until)
    await askFor(team.id, 2, 1)
    await goOn(installation.env)
    expect((await moveOf(team.id))?.phase).toBe("draining")

    await lease("deliveries", team, 1)
    const hint = { teamId: team.id, webhookId: webhook.id }
    await installation.deliverThese([{ kind: "deliveries", webhooks: [hint], database: 2 }])
    expect((await deliveries()).results).toEqual([{ not_before: 1, attempts: "[]" }])
    await endLease()
    expect(await goOnTo(installation.env, team.id)).toMatchObject({ phase: "kept" })
  })
})

describe("while a team is copied", () => {
  it("its writes answer 503, it can read, its mail waits, and nobody else does", async () => {
    const [team, other] = [await makeTeamElsewhere(), await makeTeamElsewhere()]
    const { body: waiting } = await send(team)
    await close(team)
    const refused = await send(team)
    expect(refused).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } })
    expect(await statusOf(team, waiting.id)).toBe("queued")

    const { body: sent } = await send(other)
    await installation.deliver()
    await installation.minute()
    dropMovesMessages()
    await installation.deliver()
    expect(await statusOf(other, sent.id)).toBe("delivered")
    expect(await statusOf(team, waiting.id)).toBe("queued")

    await goOnTo(installation.env, team.id)
    await installation.deliver()
    expect(await statusOf(team, waiting.id)).toBe("delivered")
  })

  it("the minute deletes and moves nothing in its databases, and does so afterwards", async () => {
    const [team, other] = [await makeTeamElsewhere(), await makeTeamElsewhere()]
    const minute = () => installation.deliverThese([{ kind: "minutes", database: 2 }])
    const deleted = "insert into deleted_books (team_id, id) values (?, 'book_1')"
    await env.SECOND.prepare(deleted).bind(other.id).run()
    const left = async () =>
      (
        await env.SECOND.prepare("select 1 from deleted_books where team_id = ?")
          .bind(other.id)
          .all()
      ).results.length
    await close(team)
    await minute()
    expect(await left()).toBe(1)
    await takeBack(team)
    await minute()
    expect(await left()).toBe(0)
  })

  it("its campaigns wait, no consumer asks for them again, and they go on afterwards", async () => {
    const teams = [await makeTeamElsewhere(), await makeTeamElsewhere(), await makeTeamElsewhere()]
    teams.sort((a, b) => (a.id < b.id ? -1 : 1))
    const team = teams[1] as Elsewhere
    const ids = new Map<Elsewhere, string>()
    for (const one of teams) ids.set(one, await queueCampaign(one))
    const sent = () => Promise.all(teams.map((one) => sentOf(one, ids.get(one) ?? "")))
    await close(team)
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
    await close(team)
    installation.sent.splice(0)
    const campaigns = [{ teamId: team.id, campaignId: id }]
    await installation.deliverThese([
      { kind: "sends-bulk", dueAt: 0, database: 2 },
      { kind: "campaigns", campaigns, database: 2 },
    ])
    expect(kindsInQueue()).toEqual([])
    await takeBack(team)
    await installation.deliver()
    expect(await sentOf(team, id)).toBe(1)
  })

  it("reports on mail of a team that moved away earlier are recorded where that is", async () => {
    const [team, moved] = [await makeTeamElsewhere(), await makeTeamElsewhere()]
    const { body: one } = await send(team)
    const { body: two } = await send(moved)
    await askFor(moved.id, 2, 1)
    await goOnTo(installation.env, moved.id)
    await close(team)
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
    await close(team)
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
    expect(waiting).toMatchObject({ message: { kind: "outcomes", database: 2 }, delaySeconds: 10 })
    expect(more).toEqual([])

    await goOnTo(installation.env, team.id)
    installation.sent.splice(0)
    for (const message of [waiting?.message as QueueMessage, reports]) {
      await installation.deliverThese([message])
      await installation.deliver()
      expect(await typesOf(team, one.id)).toEqual(["opened"])
    }
  })
})

const reportOn = ({ id: teamId }: Elsewhere, emailId: string) =>
  reportOf({ teamId, emailId }, "opened", Date.now(), { ip: "192.0.2.1" })
