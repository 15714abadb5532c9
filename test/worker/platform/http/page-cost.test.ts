import { exports } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { BASE_URL } from "../../../support/api.ts"
import { campaignInput, makeBook } from "../../../support/campaign.ts"
import { expectCheap } from "../../../support/cost.ts"
import { makeTeam, type Team } from "../../../support/team.ts"

/** Does not parse the reply: that is the caller's time. */
async function get({ api }: Team, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${api.key}` }
  const response = await exports.default.fetch(`${BASE_URL}/api/v1${path}`, { headers })
  let bytes = 0
  for await (const piece of response.body ?? []) bytes += piece.byteLength
  expect(response.status).toBe(200)
  return bytes
}

const MANY = 26

describe("a page of the largest records costs little:", () => {
  let team: Team
  beforeAll(async () => {
    team = await makeTeam()
    const column = Array(24).fill({ kind: "divider" })
    const columns = { kind: "columns", layout: "1-1-1", columns: Array(3).fill(column) }
    const input = campaignInput(team, await makeBook(team, []))
    for (let index = 0; index < MANY; index++) {
      await team.api.post("/campaigns", { ...input, blocks: Array(100).fill(columns) })
      const bodyHtml = "<p>Hello there</p>\n".repeat(index === 0 ? 50_000 : 11_000)
      await team.api.post("/templates", { slug: `t${index}`, name: "T", subject: "Hi", bodyHtml })
    }
  }, 120_000)

  it.each([
    ["campaigns", () => "/campaigns", 3_000_000],
    ["templates", () => "/templates", 5_000_000],
    ["one template of 1 MB", () => "/templates/t0", 1_000_000],
  ])("%s", async (_what, path, bytes) => {
    expect(await get(team, path())).toBeGreaterThan(bytes)
    await expectCheap(() => get(team, path()))
  })
})

/** Stores a hundred events. Each has nearly its share of the bytes of a page. */
async function storeLargeEvents({ api, domain }: Team): Promise<void> {
  await api.post("/webhooks", { url: "https://hooks.test", events: ["email.sent"] })
  const mailbox = (index: number) => `${"\u4e00".repeat(300)} <a${index}@b.co>`
  const tag = (index: number) => [`t${index}`, "\u4e00".repeat(256)]
  const email = {
    from: `a@${domain}`,
    to: "stuck@simulator.amazonses.com",
    replyTo: Array.from({ length: 37 }, (_, index) => mailbox(index)),
    subject: "Hi",
    text: "Hi",
    tags: Object.fromEntries(Array.from({ length: 20 }, (_, index) => tag(index))),
  }
  await api.post("/emails/batch", Array(100).fill(email))
  const stored = async () => (await api.get("/events?limit=100")).body.data.length
  while ((await stored()) < 100) await scheduler.wait(100)
}

describe("a page in letters of two or three bytes costs little:", () => {
  const text = (index: number, bytes: number) => `${index}${"\u0434\u0430 ".repeat(bytes / 5)}`
  const properties = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`name${index}`, "\u4e00".repeat(100)]),
  )
  let team: Team
  let contacts = ""
  beforeAll(async () => {
    team = await makeTeam()
    await storeLargeEvents(team)
    const { body: book } = await team.api.post("/contact-books", { name: "Readers" })
    contacts = `/contact-books/${book.id}/contacts`
    for (let index = 0; index < 100; index++) {
      await team.api.post(contacts, { email: `a${index}@b.co`, properties })
    }
    const one = { name: "T", subject: "Hi" }
    await team.api.post("/templates", { ...one, slug: "t", bodyHtml: "-" })
    for (let index = 0; index < 25; index++) {
      await team.api.patch("/templates/t", { bodyHtml: text(index, 1_000_000) })
      const bodyHtml = text(index, 205_000)
      await team.api.post("/templates", { ...one, slug: `t${index}`, bodyHtml })
    }
  }, 120_000)

  it.each([
    ["templates", () => "/templates", 5_000_000],
    ["a template with its versions", () => "/templates/t", 5_000_000],
    ["a hundred contacts", () => `${contacts}?limit=100`, 1_500_000],
    ["a hundred contacts that are searched", () => `${contacts}?limit=100&q=a`, 1_500_000],
    ["a hundred events", () => "/events?limit=100", 4_800_000],
  ])("%s", async (_what, path, bytes) => {
    expect(await get(team, path())).toBeGreaterThan(bytes)
    await expectCheap(() => get(team, path()))
  })
})
