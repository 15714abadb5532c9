import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { firstIdAt, newId } from "../../../../src/lib/id.ts"
import { DAY_MS, MINUTE_MS } from "../../../../src/lib/time.ts"
import { MAX_A_MINUTE, noteRefusedCall } from "../../../../src/worker/access/refused-calls/note.ts"
import { purgeRefusedCalls } from "../../../../src/worker/access/refused-calls/purge.ts"
import { eraseTexts } from "../../../../src/worker/erasure/texts.ts"
import { ApiError } from "../../../../src/worker/platform/http/errors.ts"
import { erasedForm } from "../../../../src/worker/suppressions/erased.ts"
import { createApi, request } from "../../../support/api.ts"
import { eventually } from "../../../support/eventually.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { makeClock, testWork } from "../../../support/work.ts"

const refused = async ({ api }: Team, query = "") =>
  (await api.get(`/refused-calls${query}`)).body.data

const keyIdOf = async ({ api }: Team) => (await api.get("/me")).body.key.id

const message = (from: string) => ({ from, to: "ada@example.com", subject: "Hi", text: "Hi" })

describe("a refused call is kept with its key, call, code and message", () => {
  it.each<[string, (team: Team) => Promise<unknown>, object]>([
    [
      "of a sender without a domain",
      ({ api }) => api.post("/emails", message("a@other.example")),
      { call: "POST /emails", code: "domain_not_verified" },
    ],
    [
      "with a body that does not fit",
      ({ api }) => api.post("/templates", {}),
      { call: "POST /templates", code: "validation_error" },
    ],
    [
      "of an unknown id, without the id",
      ({ api }) => api.get("/emails/em_secret"),
      { call: "GET /emails/:id", code: "not_found", message: "Email not found." },
    ],
    [
      "of an unknown path, without the path",
      ({ api }) => api.get("/secret"),
      { call: "GET an unknown path", code: "not_found", message: "Path not found." },
    ],
    [
      "with a name that is taken",
      async ({ api }) => {
        const input = { slug: "hi", name: "Hi", subject: "Hi", bodyHtml: "Hi" }
        await api.post("/templates", input)
        await api.post("/templates", input)
      },
      { call: "POST /templates", code: "conflict", message: "The slug 'hi' is taken." },
    ],
    [
      "by way of /resend",
      ({ api }) =>
        request("POST", "/resend/emails", message("a@other.example"), {
          authorization: `Bearer ${api.key}`,
        }),
      { call: "POST /emails", code: "domain_not_verified" },
    ],
  ])("%s", async (_name, call, expected) => {
    const team = await makeTeam()
    await call(team)
    await eventually(async () =>
      expect(await refused(team)).toMatchObject([
        { ...expected, key: { id: await keyIdOf(team), name: "Test" }, count: 1 },
      ]),
    )
  })

  it("of a key that may only send", async () => {
    const team = await makeTeam()
    await team.sendingOnly.get("/emails")
    const { body } = await team.sendingOnly.get("/me")
    await eventually(async () =>
      expect(await refused(team)).toMatchObject([
        { key: { id: body.key.id }, code: "forbidden", message: "This key is sending-only." },
      ]),
    )
  })
})

it("a call without a live key is not kept", async () => {
  const team = await makeTeam()
  const { body } = await team.api.post("/api-keys", { name: "Old" })
  const old = createApi(body.secret)
  await old.get("/emails/em_1")
  await eventually(async () => expect(await refused(team)).toHaveLength(1))
  await team.api.delete(`/api-keys/${body.id}`)
  await old.get("/emails/em_1")
  await old.post("/templates", {})
  await team.api.get("/emails/em_1")
  await eventually(async () => expect(await refused(team)).toHaveLength(2))
  const ofOldKey = await refused(team, `?keyId=${body.id}`)
  expect(ofOldKey).toMatchObject([{ key: { id: body.id, name: null }, count: 1 }])
})

/** The start of a minute. */
const START = 1_700_000_040_000

/** Notes refusals of a team at a time of the test. */
async function makeNotes() {
  const team = await makeTeam()
  const keyId = await keyIdOf(team)
  const clock = makeClock(START)
  const { work, settled } = testWork({ clock })
  const note = async (text: string, code: ApiError["code"] = "conflict", id = keyId) => {
    const error = new ApiError(code, text)
    noteRefusedCall(work, { teamId: team.id, keyId: id, call: "POST /emails" }, error)
    await settled()
  }
  return { team, keyId, clock, work, note }
}

it("repeats within a minute are one entry with a count and the last time", async () => {
  const { team, clock, note } = await makeNotes()
  await note("One")
  clock.advance(1_000)
  await note("One")
  await note("Other")
  await note("One", "forbidden")
  await note("One", "conflict", "key_other")
  clock.advance(MINUTE_MS)
  await note("One")
  const shown = (await refused(team)).map(({ at, code, message, count, key }: never) => ({
    at: Date.parse(at) - START,
    is: `${count} ${code} ${message}`,
    isOther: (key as { id: string }).id === "key_other",
  }))
  expect(shown).toHaveLength(5)
  expect(shown[0]).toEqual({ at: 61_000, is: "1 conflict One", isOther: false })
  expect(shown).toContainEqual({ at: 1_000, is: "2 conflict One", isOther: false })
  expect(shown).toContainEqual({ at: 1_000, is: "1 conflict Other", isOther: false })
  expect(shown).toContainEqual({ at: 1_000, is: "1 forbidden One", isOther: false })
  expect(shown).toContainEqual({ at: 1_000, is: "1 conflict One", isOther: true })
})

const countOf = ({ id }: Team) =>
  env.DB.prepare(
    "select count(*) as entries, sum(count) as calls from refused_calls where team_id = ?",
  )
    .bind(id)
    .first()

it("a minute has a limited number of entries, also of many processes", async () => {
  const { team, clock, note } = await makeNotes()
  await note("One")
  const insert = env.DB.prepare(
    "insert into refused_calls values (?, ?, 'key', 'GET /', 'conflict', '', 1, 1)",
  )
  const ids = Array.from({ length: MAX_A_MINUTE - 1 }, () => newId("refusedCall", clock.now()))
  await env.DB.batch(ids.map((id) => insert.bind(team.id, id)))
  await note("Another")
  await note("One")
  expect(await countOf(team)).toEqual({ entries: MAX_A_MINUTE, calls: MAX_A_MINUTE + 1 })
  clock.advance(MINUTE_MS)
  await note("Another")
  expect(await countOf(team)).toEqual({ entries: MAX_A_MINUTE + 1, calls: MAX_A_MINUTE + 2 })
})

it("a process writes a limited number of refusals of a team in a minute", async () => {
  const { team, clock, note } = await makeNotes()
  for (let at = 0; at < MAX_A_MINUTE + 5; at++) await note("One")
  expect(await countOf(team)).toEqual({ entries: 1, calls: MAX_A_MINUTE })
  clock.advance(MINUTE_MS)
  await note("One")
  expect(await countOf(team)).toEqual({ entries: 2, calls: MAX_A_MINUTE + 1 })
})

it("a failure of the service is no refusal", async () => {
  const { team, note } = await makeNotes()
  await note("Away", "unavailable")
  await note("Broken", "internal_error")
  expect(await countOf(team)).toEqual({ entries: 0, calls: null })
})

it("entries are kept for seven days", async () => {
  const { team, clock, work, note } = await makeNotes()
  await note("Old")
  clock.advance(7 * DAY_MS)
  await note("New")
  await purgeRefusedCalls(work)
  expect(await refused(team)).toHaveLength(2)
  clock.advance(MINUTE_MS)
  await purgeRefusedCalls(work)
  expect(await refused(team)).toMatchObject([{ message: "New" }])
})

it("an entry loses an address that is erased", async () => {
  const { team, work, note } = await makeNotes()
  await note("ada@example.com is in this book already.")
  await eraseTexts(work, team.id, "ada@example.com")
  const hash = erasedForm(work.settings, "ada@example.com")
  expect(await refused(team)).toMatchObject([{ message: `${hash} is in this book already.` }])
})

it("a filter without an index looks through a thousand entries and says how far", async () => {
  const { team, clock, note } = await makeNotes()
  await note("Found", "forbidden")
  await env.DB.prepare(
    `insert into refused_calls select ?1, ?2 || value, 'key', 'GET /', 'conflict', '', 1, 1
     from json_each(?3)`,
  )
    .bind(
      team.id,
      firstIdAt("refusedCall", clock.now() + MINUTE_MS).slice(0, -4),
      JSON.stringify(Array.from({ length: 1_000 }, (_, at) => 1_000 + at)),
    )
    .run()
  const { body } = await team.api.get("/refused-calls?code=forbidden")
  expect(body).toMatchObject({ data: [], searchedUntil: expect.any(String) })
  const next = await team.api.get(`/refused-calls?code=forbidden&cursor=${body.nextCursor}`)
  expect(next.body).toMatchObject({ data: [{ message: "Found" }], nextCursor: null })
})

it("a key of another team sees none of them", async () => {
  const { team, note } = await makeNotes()
  await note("One")
  expect(await refused(await makeTeam())).toEqual([])
  expect(await refused(team)).toHaveLength(1)
})
