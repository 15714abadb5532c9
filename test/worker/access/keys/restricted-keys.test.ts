import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { endpoints } from "../../../../src/worker/contract.ts"
import { createApi } from "../../../support/api.ts"
import { fakeInternet } from "../../../support/internet.ts"
import { addDomain, addKey, makeTeam, type Team } from "../../../support/team.ts"
import { examples } from "../../platform/http/examples.ts"

beforeAll(() => {
  fakeInternet()
})

/** The calls that can make a domain send. */
const SENDING = [
  "POST /emails",
  "POST /emails/batch",
  "POST /emails/raw",
  "PATCH /emails/:id",
  "POST /sequences",
  "PATCH /sequences/:id",
  "POST /sequences/:id/activate",
  "POST /sequences/:id/resume",
  "POST /sequences/:id/contacts",
  "POST /campaigns",
  "PATCH /campaigns/:id",
  "POST /campaigns/:id/schedule",
  "POST /campaigns/:id/send",
  "POST /campaigns/:id/resume",
  "POST /threads/:id/replies",
  "POST /contact-books",
  "PATCH /contact-books/:id",
  "POST /contact-books/:id/contacts",
  "POST /forms",
  "PATCH /forms/:id",
]

const bookOf = ({ domain }: Team) => ({ name: "Readers", defaultFrom: `News <news@${domain}>` })

async function senderPath(team: Team): Promise<string> {
  const { body } = await team.api.post("/contact-books", bookOf(team))
  return `/contact-books/${body.id}`
}

const sending: typeof examples = {
  ...examples,
  "POST /contact-books": (team) => ({ path: "/contact-books", body: bookOf(team) }),
  "PATCH /contact-books/:id": async (team) => ({
    path: await senderPath(team),
    body: bookOf(team),
  }),
  "POST /contact-books/:id/contacts": async (team) => ({
    path: `${await senderPath(team)}/contacts`,
    body: { email: "a@example.com", confirm: true },
  }),
}

/** The other changes, by the reason why they make no domain send. */
const OTHERS: Record<string, readonly string[]> = {
  "it sends nothing": [
    "POST /emails/check",
    "POST /templates/:slugOrId/render",
    "POST /sequences/:id/preview",
    "POST /sequences/:id/simulate",
    "POST /webhooks",
    "PATCH /webhooks/:id",
    "DELETE /webhooks/:id",
    "POST /webhooks/:id/test",
    "POST /webhooks/:id/backfill",
    "POST /deliveries/:id/replay",
    "POST /inboxes",
    "PATCH /inboxes/:id",
    "DELETE /inboxes/:id",
    "POST /received-emails",
    "PATCH /received-emails/:id",
    "DELETE /received-emails/:id",
    "PATCH /threads/:id",
    "PATCH /domains/:id",
  ],
  "it takes mail out of sending": [
    "POST /emails/:id/cancel",
    "POST /campaigns/:id/cancel",
    "POST /campaigns/:id/pause",
    "DELETE /campaigns/:id",
    "POST /sequences/:id/pause",
    "POST /sequences/:id/archive",
    "DELETE /sequences/:id",
    "POST /runs/:id/end",
    "POST /suppressions",
    "POST /suppressions/import",
    "POST /contacts/unsubscribe",
  ],
  "another call starts the mail that it changes": [
    "POST /templates",
    "PATCH /templates/:slugOrId",
    "DELETE /templates/:slugOrId",
    "DELETE /contact-books/:id",
    "POST /contact-books/:id/contacts/import",
    "PATCH /contact-books/:id/contacts/:contactId",
    "DELETE /contact-books/:id/contacts/:contactId",
    "DELETE /forms/:id",
    "POST /segments",
    "PATCH /segments/:id",
    "DELETE /segments/:id",
    "POST /events",
    "POST /runs/:id/skip",
    "POST /topics",
    "PATCH /topics/:id",
    "DELETE /topics/:id",
    "DELETE /suppressions/:email",
    "POST /domains",
    "DELETE /domains/:id",
    "POST /domains/:id/verify",
  ],
  "the new key has the restriction too": ["POST /api-keys", "DELETE /api-keys/:id"],
}

const rowsOf = async (team: string) => {
  const read = ["emails", "campaigns", "campaign_runs"].map((table) =>
    env.DB.prepare(`select * from ${table} where team_id = ?`).bind(team),
  )
  return (await env.DB.batch(read)).map(({ results }) => results)
}

describe("a key that is restricted to a domain", () => {
  it("has an answer for every call that changes something", () => {
    const changes = endpoints.filter(
      ({ access, method }) => access !== "public" && method !== "GET",
    )
    const answered = [...SENDING, ...Object.values(OTHERS).flat()]
    expect(changes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(answered.sort())
  })

  it.each(SENDING)("does not make another domain send by %s", async (name) => {
    const team = await makeTeam()
    const own = await addDomain(team.id, `own-${team.domain}`)
    const restricted = createApi(await addKey(team.id, "full", own))
    const { path, body } = await sending[name]!(team)
    const [method = ""] = name.split(" ")
    const call = method === "PATCH" ? restricted.patch : restricted.post
    const before = await rowsOf(team.id)
    const refused = await call(path, body)
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { message: "This API key is restricted to another domain." } },
    })
    expect(await rowsOf(team.id)).toEqual(before)
    const same = createApi(await addKey(team.id, "full", team.domainId))
    const allowed = await (method === "PATCH" ? same.patch : same.post)(path, body)
    expect(allowed.status).toBeLessThan(300)
  })

  it("changes a contact book whose sender stays", async () => {
    const team = await makeTeam()
    const own = await addDomain(team.id, `own-${team.domain}`)
    const restricted = createApi(await addKey(team.id, "full", own))
    const path = await senderPath(team)
    expect((await restricted.patch(path, { name: "New" })).status).toBe(200)
    const contact = { email: "a@example.com" }
    expect((await restricted.post(`${path}/contacts`, contact)).status).toBe(201)
  })

  it("gives a contact book a sender of its own domain alone, verified or not", async () => {
    const team = await makeTeam()
    const own = await addDomain(team.id, `own.${team.domain}`, "pending")
    const restricted = createApi(await addKey(team.id, "full", own))
    const path = await senderPath(team)
    const change = async (defaultFrom: string) =>
      (await restricted.patch(path, { defaultFrom })).status
    expect(await change(`a@own.${team.domain}`)).toBe(200)
    expect(await change(`a@other.${team.domain}`)).toBe(403)
    expect(await change("a@unknown.test")).toBe(403)
  })
})
