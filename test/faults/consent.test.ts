import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { preferencesUrl, unsubscribeUrl } from "../../src/worker/contacts/links/recipient-link.ts"
import { readSettings } from "../../src/worker/platform/env.ts"
import { request } from "../support/api.ts"
import { formOf, send } from "../support/preference-form.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { createDraw } from "./chance.ts"

const settings = readSettings(env)
const RACES = Array.from({ length: 50 }, (_, index) => index + 1)
const FILES = Array.from({ length: 200 }, (_, index) => index + 1)
const FILES_A_TEAM = 20
const email = "ada@example.com"
const BROWSER = { accept: "text/html" }

interface Setting {
  team: Team
  bookId: string
  path: string
  topicId: string
}

async function prepare(subscribed: boolean): Promise<Setting> {
  const team = await makeTeam()
  const { body: book } = await team.api.post("/contact-books", { name: "Readers" })
  const { body: topic } = await team.api.post("/topics", { name: "News" })
  const path = `/contact-books/${book.id}/contacts`
  const topics = subscribed ? {} : { [topic.id]: false }
  const { body } = await team.api.post(path, { email, subscribed, topics })
  return { team, bookId: book.id, path: `${path}/${body.id}`, topicId: topic.id }
}

/** Numbers from 0 to 1, the same for the same seed. */
function createChance(seed: number): () => number {
  const draw = createDraw(seed)
  let drawn = 0
  return () => draw(String(drawn++))
}

const linkTo = ({ team, bookId }: Setting, url: typeof unsubscribeUrl) =>
  new URL(url(settings, { teamId: team.id, email, bookId })).pathname

const read = async ({ team, path }: Setting) => (await team.api.get(path)).body

/** What may happen at the same time and may never make a no a yes. */
async function neutralSteps(setting: Setting) {
  const { team, bookId, path, topicId } = setting
  const preferences = linkTo(setting, preferencesUrl)
  const form = formOf((await request("GET", preferences, undefined, BROWSER)).body)
  const importing = (csv: string) =>
    team.api.post(`/contact-books/${bookId}/contacts/import`, { csv })
  return [
    () => importing(`email,subscribed\n${email},yes`),
    () => importing(`email,first_name\n${email},Ada`),
    () => importing(`email,${topicId}\n${email},true`),
    () => team.api.patch(path, { firstName: "Ada" }),
    () => team.api.post(`/contact-books/${bookId}/contacts`, { email, subscribed: true }),
    () => send(preferences, form),
    () => send(preferences, { ...form, boxes: { [bookId]: true, [topicId]: true } }),
    () => team.api.patch(`/topics/${topicId}`, { description: "Weekly" }),
  ]
}

it.each(RACES)("race %i: who says no while others write stays unsubscribed", async (seed) => {
  const chance = createChance(seed)
  const setting = await prepare(true)
  const { team, bookId, path, topicId } = setting
  const preferences = linkTo(setting, preferencesUrl)
  const shown = formOf((await request("GET", preferences, undefined, BROWSER)).body)
  const refusals = [
    () => request("POST", linkTo(setting, unsubscribeUrl), "List-Unsubscribe=One-Click"),
    () => team.api.post("/contacts/unsubscribe", { email }),
    () => team.api.patch(path, { subscribed: false }),
    () => send(preferences, shown, { [bookId]: false, [topicId]: false }),
    () =>
      team.api.post(`/contact-books/${bookId}/contacts/import`, {
        csv: `email,subscribed\n${email},no`,
      }),
  ]
  const refusal = refusals[seed % refusals.length] as (typeof refusals)[number]
  const neutral = await neutralSteps(setting)
  const steps = [...neutral, refusal]
  const order = steps.map((step) => ({ step, at: chance() })).sort((a, b) => a.at - b.at)
  await Promise.all(
    order.map(async ({ step, at }) => {
      await scheduler.wait(at * 20)
      return step()
    }),
  )
  const contact = await read(setting)
  expect(contact.subscribed).toBe(false)
  if (seed % refusals.length === 3) expect(contact.topics).toEqual({ [topicId]: false })
  const book = (await team.api.get(`/contact-books/${bookId}`)).body
  expect([book.contactCount, book.subscribedCount]).toEqual([1, 0])
  for (const step of neutral) await step()
  expect((await read(setting)).subscribed).toBe(false)
})

const NO = ["no", "n", "0", "false", "NO"]

/** A file that says many things of an address that said no, and whether one of them is a no. */
function generateFile(chance: () => number, topicId: string) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] as T
  const columns = ["email", "subscribed", "first_name", topicId, "topics"].filter(
    (name) => name === "email" || chance() < 0.7,
  )
  const cell: Record<string, () => string> = {
    email: () => pick([email, "ADA@Example.com", " ada@example.com ", "bob@example.com", "nobody"]),
    subscribed: () => pick(["yes", "true", "1", "y", "YES", "", ...NO, "maybe"]),
    first_name: () => pick(["Ada", "", '"A, B"']),
    [topicId]: () => pick(["true", "1", "yes", ""]),
    topics: () => pick([`"{""${topicId}"":true}"`, "true", ""]),
  }
  const rows = Array.from({ length: 1 + Math.floor(chance() * 6) }, () =>
    columns.map((name) => cell[name]?.() ?? ""),
  )
  const says = columns.indexOf("subscribed")
  return {
    csv: [columns, ...rows].map((cells) => cells.join(",")).join(pick(["\n", "\r\n"])),
    hasNo: rows.some(
      (row) => row[0]?.trim().toLowerCase() === email && NO.includes(row[says] ?? ""),
    ),
  }
}

it.each(FILES.filter((file) => file % FILES_A_TEAM === 1))(
  "no file of %i and the next nineteen makes a no a yes",
  async (first) => {
    const setting = await prepare(false)
    const { team, bookId, topicId } = setting
    let noes = 0
    for (let seed = first; seed < first + FILES_A_TEAM; seed++) {
      const { csv, hasNo } = generateFile(createChance(seed), topicId)
      const updateExisting = seed % 3 > 0
      const imported = { csv, updateExisting }
      await team.api.post(`/contact-books/${bookId}/contacts/import`, imported)
      const { body: other } = await team.api.post("/contact-books", { name: "Others" })
      await team.api.post(`/contact-books/${other.id}/contacts/import`, imported)
      const { subscribed, topics } = await read(setting)
      expect([subscribed, topics], csv).toEqual([false, { [topicId]: false }])
      const { data } = (await team.api.get(`/contact-books/${other.id}/contacts?q=${email}`)).body
      for (const one of data) {
        expect(one.topics, csv).toEqual({ [topicId]: false })
        if (hasNo) expect(one.subscribed, csv).toBe(false)
        noes += Number(hasNo)
      }
    }
    expect(noes).toBeGreaterThan(0)
  },
)
