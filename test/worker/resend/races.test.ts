import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { expect, it } from "vitest"
import { sweepDeletedBooks } from "../../../src/worker/contacts/books.ts"
import worker from "../../../src/worker/index.ts"
import { BASE_URL } from "../../support/api.ts"
import { workerEnv } from "../../support/installation.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

const ADA = "ada@example.com"

type Interruption = [RegExp, () => Promise<unknown>]

/** A call of the adapter. */
async function call(
  team: Team,
  [method, path]: [string, string],
  body?: object,
  interruption?: Interruption,
) {
  return JSON.parse(await callAny(team, [method, `/resend${path}`], body, interruption))
}

/** Before the first statement that the pattern fits, something else happens. */
async function callAny(
  { api }: Team,
  [method, path]: [string, string],
  body?: object,
  [pattern, interrupt]: Interruption = [/./, async () => {}],
): Promise<string> {
  const execution = createExecutionContext()
  const request = new Request(`${BASE_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${api.key}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  const env = workerEnv({ DB: interruptedDb(pattern, interrupt) })
  const response = await worker.fetch(request, env, execution)
  const text = await response.text()
  await waitOnExecutionContext(execution)
  expect(response.ok, text).toBe(true)
  return text
}

async function makeSegments(team: Team, ...names: string[]): Promise<string[]> {
  const ids = []
  for (const name of names) ids.push((await call(team, ["POST", "/segments"], { name })).id)
  return ids
}

it("two changes of a contact's properties at once are both kept", async () => {
  const team = await makeTeam()
  await call(team, ["POST", "/contacts"], { email: ADA, properties: { city: "Paris" } })
  const at: [string, string] = ["PATCH", `/contacts/${ADA}`]
  const other = () => call(team, at, { properties: { age: 30, city: null } })
  await call(team, at, { properties: { plan: "pro" } }, [/update "contacts"/, other])
  const { properties } = await call(team, ["GET", `/contacts/${ADA}`])
  expect(properties).toEqual({
    age: { type: "number", value: 30 },
    plan: { type: "string", value: "pro" },
  })
})

it("a contact that leaves its last two segments at once is kept in the default book", async () => {
  const team = await makeTeam()
  const [first = "", second = ""] = await makeSegments(team, "First", "Second")
  await call(team, ["POST", `/segments/${first}/contacts`], { email: ADA })
  await call(team, ["POST", `/contacts/${ADA}/segments/${second}`])
  const { data } = await call(team, ["GET", "/contacts"])
  await team.api.delete(`/contact-books/${await defaultBook(team)}/contacts/${data[0].id}`)
  const leave = (id: string) => ["DELETE", `/contacts/${ADA}/segments/${id}`] as [string, string]
  const other = () => call(team, leave(second))
  await call(team, leave(first), undefined, [/delete from "contacts"/, other])
  const after = await call(team, ["GET", "/contacts"])
  expect(after.data).toMatchObject([{ email: ADA }])
  expect((await call(team, ["GET", `/contacts/${ADA}/segments`])).data).toEqual([])
})

it("a late deletion of the default book spares the contacts of the next one", async () => {
  const team = await makeTeam()
  await call(team, ["POST", "/contacts"], { email: ADA })
  const book = await defaultBook(team)
  const sweepAndAdd = async () => {
    await sweepDeletedBooks(testWork().work)
    await call(team, ["POST", "/contacts"], { email: "new@example.com" })
  }
  const at: [string, string] = ["DELETE", `/api/v1/contact-books/${book}`]
  await callAny(team, at, undefined, [/delete from "contacts"/, sweepAndAdd])
  expect(await defaultBook(team)).toBe(book)
  const { data } = await call(team, ["GET", "/contacts"])
  expect(data).toMatchObject([{ email: "new@example.com" }])
})

it.each(["/contacts", "/segments"])(
  "a contact that unsubscribes while %s adds it to a segment is not subscribed there",
  async (by) => {
    const team = await makeTeam()
    const [segment = ""] = await makeSegments(team, "Readers")
    await call(team, ["POST", "/contacts"], { email: ADA })
    const unsubscribe = () => call(team, ["PATCH", `/contacts/${ADA}`], { unsubscribed: true })
    const interruption: Interruption = [/insert into "contacts"/, unsubscribe]
    if (by === "/contacts") {
      const body = { email: ADA, segments: [{ id: segment }] }
      await call(team, ["POST", "/contacts"], body, interruption)
    } else {
      const at = `/contacts/${ADA}/segments/${segment}`
      await call(team, ["POST", at], undefined, interruption)
    }
    const { data } = await call(team, ["GET", `/segments/${segment}/contacts`])
    expect(data).toMatchObject([{ email: ADA, unsubscribed: true }])
  },
)

async function defaultBook({ api }: Team): Promise<string> {
  const { data } = (await api.get("/contact-books")).body
  return data.find(({ name }: { name: string }) => name === "Contacts").id
}
