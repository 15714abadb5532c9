import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { newId } from "../../../src/lib/id.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { eraseAddress } from "../../../src/worker/erasure/erase.ts"
import { sweepSegments } from "../../../src/worker/segments/count.ts"
import type { SegmentFilter } from "../../../src/worker/segments/filter.ts"
import { campaignInput } from "../../support/campaign.ts"
import { eventually } from "../../support/eventually.ts"
import { metered } from "../../support/meter.ts"
import { makePerson } from "../../support/session.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { warmed } from "../../support/warm.ts"
import { testWork } from "../../support/work.ts"

async function makeBook({ api }: Team) {
  return (await api.post("/contact-books", { name: "Readers" })).body.id as string
}

interface Person {
  email: string
  firstName?: string | null
  lastName?: string | null
  properties?: Record<string, string | number | boolean>
  subscribed?: boolean
}

async function addAll({ api }: Team, bookId: string, people: readonly Person[]) {
  for (const person of people) {
    const { status } = await api.post(`/contact-books/${bookId}/contacts`, person)
    expect(status).toBe(201)
  }
}

const createSegment = ({ api }: Team, bookId: string, filter: object) =>
  api.post("/segments", { bookId, name: "Some", filter })

/** The addresses of all pages. */
async function membersOf({ api }: Team, id: string, limit = 100) {
  const found: string[] = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor && { cursor }) })
    const { status, body } = await api.get(`/segments/${id}/contacts?${query}`)
    expect(status).toBe(200)
    found.push(...body.data.map(({ email }: Person) => email))
    cursor = body.nextCursor
  }
  return found.toSorted()
}

const PEOPLE: Person[] = [
  {
    email: "ada@example.com",
    firstName: "Ada",
    lastName: "Ärmel",
    properties: { city: "Zürich", age: 30, vip: true, joined: "2026-01-05" },
  },
  {
    email: "bob@example.com",
    firstName: "BOB",
    properties: { city: "100%", age: "7", joined: "2026-03-01T10:00:00+02:00" },
  },
  { email: "cat@test.example", properties: { city: "a_b", age: "many", vip: false } },
  { email: "dan@test.example", subscribed: false, properties: { note: "" } },
]
const [ADA, BOB, CAT, DAN] = PEOPLE.map(({ email }) => email) as [string, string, string, string]

describe("a condition", () => {
  it.each([
    ["email", "is", "ADA@example.com", [ADA]],
    ["email", "isNot", ADA, [BOB, CAT, DAN]],
    ["email", "contains", "TEST.", [CAT, DAN]],
    ["email", "startsWith", "b", [BOB]],
    ["email", "contains", "%", []],
    ["firstName", "is", "bob", [BOB]],
    ["firstName", "isNot", "Ada", [BOB, CAT, DAN]],
    ["firstName", "set", undefined, [ADA, BOB]],
    ["firstName", "notSet", undefined, [CAT, DAN]],
    ["lastName", "startsWith", "är", [ADA]],
    ["subscribed", "is", false, [DAN]],
    ["subscribed", "isNot", false, [ADA, BOB, CAT]],
    ["createdAt", "after", "2020-01-01T00:00:00Z", [ADA, BOB, CAT, DAN]],
    ["createdAt", "before", "2020-01-01", []],
    ["properties.city", "is", "ZÜRICH", [ADA]],
    ["properties.city", "contains", "%", [BOB]],
    ["properties.city", "contains", "_", [CAT]],
    ["properties.city", "isNot", "Zürich", [BOB, CAT, DAN]],
    ["properties.age", "above", 7, [ADA]],
    ["properties.age", "below", 30, [BOB]],
    ["properties.age", "is", 7, [BOB]],
    ["properties.age", "above", -1, [ADA, BOB]],
    ["properties.vip", "is", true, [ADA]],
    ["properties.vip", "isNot", true, [BOB, CAT, DAN]],
    ["properties.joined", "before", "2026-02-01T00:00:00Z", [ADA]],
    ["properties.joined", "after", "2026-03-01T07:59:59Z", [BOB]],
    ["properties.joined", "after", "2026-03-01T08:59:59+0100", [BOB]],
    ["properties.joined", "after", "2026-03-01T08:00:00Z", []],
    ["properties.note", "set", undefined, []],
    ["properties.note", "notSet", undefined, PEOPLE.map(({ email }) => email)],
    ["properties.toString", "set", undefined, []],
  ] as const)("%s %s %s", async (field, op, value, expected) => {
    const team = await makeTeam()
    const bookId = await makeBook(team)
    await addAll(team, bookId, PEOPLE)
    const { status, body } = await createSegment(team, bookId, { all: [{ field, op, value }] })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(await membersOf(team, body.id)).toEqual([...expected].toSorted())
  })

  it("combines with others on two levels", async () => {
    const team = await makeTeam()
    const bookId = await makeBook(team)
    await addAll(team, bookId, PEOPLE)
    const any = [
      { field: "firstName", op: "is", value: "ada" },
      {
        all: [
          { field: "email", op: "contains", value: "test" },
          { field: "subscribed", op: "is", value: true },
        ],
      },
    ]
    expect(await membersOf(team, (await createSegment(team, bookId, { any })).body.id)).toEqual([
      ADA,
      CAT,
    ])
    expect(
      await membersOf(team, (await createSegment(team, bookId, { all: any })).body.id),
    ).toEqual([])
  })

  const text = { field: "email", op: "is", value: "a" }
  it.each<[string, unknown]>([
    ["no level", {}],
    ["both levels", { all: [text], any: [text] }],
    ["no condition", { all: [] }],
    ["an empty group", { all: [text, { any: [] }] }],
    ["a third level", { all: [{ any: [{ all: [text] }] }] }],
    ["a group with a condition", { all: [{ ...text, any: [text] }] }],
    ["21 conditions", { all: [...Array(10).fill(text), { any: Array(11).fill(text) }] }],
    ["an unknown field", { all: [{ field: "phone", op: "is", value: "1" }] }],
    ["a name that every object has", { all: [{ field: "constructor", op: "is", value: "1" }] }],
    ["a property without a name", { all: [{ field: "properties.", op: "is", value: "1" }] }],
    ["an unknown operator", { all: [{ ...text, op: "like" }] }],
    ["an operator of another field", { all: [{ field: "email", op: "above", value: 1 }] }],
    ["a text as a number", { all: [{ field: "properties.age", op: "above", value: "1" }] }],
    [
      "a time without a zone",
      { all: [{ field: "createdAt", op: "after", value: "2026-01-01T10:00" }] },
    ],
    [
      "a day that no month has",
      { all: [{ field: "createdAt", op: "before", value: "2026-02-30" }] },
    ],
    [
      "an hour that no day has",
      { all: [{ field: "createdAt", op: "before", value: "2026-02-03T24:00:00Z" }] },
    ],
    ["no time", { all: [{ field: "properties.x", op: "before", value: "soon" }] }],
    ["a value where none belongs", { all: [{ field: "email", op: "set", value: "a" }] }],
    ["no value", { all: [{ field: "email", op: "is" }] }],
    ["an empty part", { all: [{ field: "email", op: "contains", value: "" }] }],
    ["a text as consent", { all: [{ field: "subscribed", op: "is", value: "yes" }] }],
    ["an activity with a field", { all: [{ ...text, activity: "sent" }] }],
    ["an unknown activity", { all: [{ activity: "read" }] }],
    ["days without an activity", { all: [{ ...text, withinDays: 3 }] }],
  ])("is refused: %s", async (_what, filter) => {
    const team = await makeTeam()
    const bookId = await makeBook(team)
    const { status, body } = await createSegment(team, bookId, filter as object)
    expect([status, body.error.code]).toEqual([400, "validation_error"])
    expect(body.error.details[0].path[0]).toBe("filter")
  })
})

describe("a filter", () => {
  it("keeps whom a search in memory keeps", async () => {
    const team = await makeTeam()
    const bookId = await makeBook(team)
    let state = 11
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    const pick = <T>(list: readonly T[]) => list[random(list.length)] as T
    const cities = ["Rome", "ROME", "Bern", "", undefined]
    const people = Array.from({ length: 120 }, (_, at) => {
      const city = pick(cities)
      return {
        email: `p${at}@${pick(["a.test", "b.test"])}`,
        firstName: pick(["Ann", "ann", "Ben", null]),
        properties: { ...(city !== undefined && { city }), score: random(10) },
        subscribed: random(3) > 0,
      }
    })
    await addAll(team, bookId, people)
    type P = (typeof people)[number]
    const conditions: [object, (one: P) => boolean][] = [
      [{ field: "firstName", op: "is", value: "ann" }, (p) => p.firstName?.toLowerCase() === "ann"],
      [{ field: "firstName", op: "isNot", value: "ben" }, (p) => p.firstName !== "Ben"],
      [
        { field: "properties.city", op: "is", value: "rome" },
        (p) => /^rome$/i.test(p.properties.city ?? ""),
      ],
      [{ field: "properties.city", op: "notSet" }, (p) => !p.properties.city],
      [{ field: "properties.score", op: "above", value: 4 }, (p) => p.properties.score > 4],
      [{ field: "email", op: "contains", value: "@B." }, (p) => p.email.includes("@b.")],
      [{ field: "subscribed", op: "is", value: true }, (p) => p.subscribed],
    ]
    for (let round = 0; round < 40; round++) {
      const group = () => {
        const chosen = Array.from({ length: 1 + random(3) }, () => pick(conditions))
        const isAny = random(2) === 0
        return {
          filter: { [isAny ? "any" : "all"]: chosen.map(([one]) => one) } as object,
          test: (p: P) =>
            isAny ? chosen.some(([, test]) => test(p)) : chosen.every(([, test]) => test(p)),
        }
      }
      const [left, right, [single, singleTest]] = [group(), group(), pick(conditions)]
      const isAny = random(2) === 0
      const tests = [left.test, right.test, singleTest]
      const filter = { [isAny ? "any" : "all"]: [left.filter, right.filter, single] }
      const { body } = await createSegment(team, bookId, filter)
      const expected = people
        .filter((p) => (isAny ? tests.some((test) => test(p)) : tests.every((test) => test(p))))
        .map(({ email }) => email)
        .toSorted()
      expect({ filter, found: await membersOf(team, body.id, pick([7, 50])) }).toEqual({
        filter,
        found: expected,
      })
    }
  })
})

describe("activity", () => {
  /** Mail of a campaign, as it stands in the log, with the days ago of its entries. */
  async function mailed(
    team: Team,
    email: string,
    campaignId: string | null,
    entries: Record<string, number>,
  ) {
    const id = newId("email")
    const at = (days: number) => Date.now() - days * 86_400_000
    await env.DB.batch([
      env.DB.prepare(
        `insert into emails (team_id, id, status, sender, recipients, subject, domain_id, campaign_id, created_at, not_before)
         values (?, ?, 'delivered', '{}', '[]', '', '', ?, ?, 0)`,
      ).bind(team.id, id, campaignId, at(99)),
      env.DB.prepare("insert into email_recipients values (?, ?, ?)").bind(team.id, email, id),
      ...Object.entries(entries).map(([type, days]) =>
        env.DB.prepare(
          "insert into email_events (team_id, email_id, id, type, occurred_at) values (?, ?, ?, ?, ?)",
        ).bind(team.id, id, newId("event"), type, at(days)),
      ),
    ])
  }

  it.each<[object, string[]]>([
    [{ activity: "sent" }, [ADA, BOB, CAT]],
    [{ activity: "sent", not: true }, [DAN]],
    [{ activity: "opened" }, [ADA, BOB]],
    [{ activity: "opened", not: true }, [CAT, DAN]],
    [{ activity: "clicked" }, [BOB]],
    [{ activity: "opened", withinDays: 10 }, [BOB]],
    [{ activity: "opened", withinDays: 10, not: true }, [ADA, CAT, DAN]],
    [{ activity: "opened", campaignId: "cmp_1" }, [ADA]],
    [{ activity: "sent", campaignId: "cmp_2", withinDays: 30 }, [BOB]],
    [{ activity: "sent", campaignId: "cmp_none" }, []],
  ])("%j", async (condition, expected) => {
    const team = await makeTeam()
    const bookId = await makeBook(team)
    await addAll(team, bookId, PEOPLE)
    await mailed(team, ADA, "cmp_1", { sent: 20, opened: 19 })
    await mailed(team, BOB, "cmp_1", { sent: 40 })
    await mailed(team, BOB, "cmp_2", { sent: 5, clicked: 4 })
    await mailed(team, CAT, "cmp_1", { sent: 20, delivered: 20 })
    await mailed(team, DAN, null, { sent: 1, opened: 1, clicked: 1 })
    const { body } = await createSegment(team, bookId, { all: [condition] })
    expect(await membersOf(team, body.id)).toEqual(expected)
  })

  it("is found behind thousands of other emails, of which a statement reads some", async () => {
    const team = await makeTeam()
    const bookId = await makeBook(team)
    await addAll(team, bookId, PEOPLE)
    await mailed(team, ADA, "cmp_1", { sent: 20, opened: 19 })
    const many = 12_000
    await env.DB.batch([
      env.DB.prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})
         insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at, not_before)
         select ?, 'em_~' || printf('%05d', i), 'delivered', '{}', '[]', '', '', ?, 0 from n`,
      ).bind(team.id, Date.now()),
      ...[ADA, BOB].map((email) =>
        env.DB.prepare(
          `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})
           insert into email_recipients select ?, ?, 'em_~' || printf('%05d', i) from n`,
        ).bind(team.id, email),
      ),
    ])
    const { body } = await createSegment(team, bookId, { all: [{ activity: "opened" }] })
    const { rowsRead, roundTrips } = await metered(async () => {
      expect(await membersOf(team, body.id)).toEqual([ADA])
    })
    expect(roundTrips).toBeGreaterThan(3)
    expect(rowsRead / roundTrips).toBeLessThan(25_000)
  })
})

describe("a segment", () => {
  const filter: SegmentFilter = { all: [{ field: "subscribed", op: "is", value: true }] }

  it("is created, listed, read, changed and deleted", async () => {
    const team = await makeTeam()
    const [bookId, other] = [await makeBook(team), await makeBook(team)]
    const { body: created } = await createSegment(team, bookId, filter)
    expect(created).toMatchObject({
      id: expect.stringMatching(/^seg_/),
      ...{ bookId, name: "Some", filter, contactCount: null, eligibleCount: null, countedAt: null },
    })
    const { body: second } = await createSegment(team, other, filter)
    const list = async (query = "") => (await team.api.get(`/segments${query}`)).body.data
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual([second.id, created.id])
    expect(await list(`?bookId=${bookId}`)).toMatchObject([{ id: created.id }])
    const path = `/segments/${created.id}`
    expect((await team.api.get(path)).body).toMatchObject({ id: created.id, filter })
    expect((await team.api.patch(path, { name: "Others" })).body).toMatchObject({ name: "Others" })
    expect((await team.api.patch(path, { bookId: other })).status).toBe(400)
    expect((await team.api.delete(path)).status).toBe(204)
    expect((await team.api.get(path)).status).toBe(404)
    expect((await team.api.delete(path)).status).toBe(404)
  })

  it("needs a book of the team, and goes with it", async () => {
    const [team, stranger] = [await makeTeam(), await makeTeam()]
    const bookId = await makeBook(team)
    const refused = await createSegment(stranger, bookId, filter)
    expect([refused.status, refused.body.error.details]).toEqual([400, { field: "bookId" }])
    const { body } = await createSegment(team, bookId, filter)
    await team.api.delete(`/contact-books/${bookId}`)
    expect((await team.api.get(`/segments/${body.id}`)).status).toBe(404)
  })

  it("is counted in the background, anew after a change of its filter", async () => {
    const team = await makeTeam()
    const bookId = await makeBook(team)
    await addAll(team, bookId, PEOPLE)
    const { body } = await createSegment(team, bookId, filter)
    const path = `/segments/${body.id}`
    const counted = (contactCount: number, eligibleCount: unknown) =>
      eventually(async () =>
        expect((await team.api.get(path)).body).toMatchObject({
          contactCount,
          eligibleCount,
          countedAt: expect.any(String),
        }),
      )
    await counted(3, expect.any(Number))
    const changed = { all: [{ field: "subscribed", op: "is", value: false }] }
    await team.api.patch(path, { filter: changed })
    await counted(1, 0)
  })

  it("is counted before it is saved, within the limit of a count", async () => {
    const team = await makeTeam()
    const person = await makePerson(team.id, "admin")
    const bookId = await makeBook(team)
    await addAll(team, bookId, PEOPLE)
    const count = async (field: string, value: string) => {
      const json = { bookId, filter: { all: [{ field, op: "contains", value }] } }
      return (await person.post("/segments/count", json)).body
    }
    await team.api.post("/suppressions", { email: ADA })
    const [subscribed, all] = [PEOPLE.filter((one) => one.subscribed !== false), PEOPLE]
    expect(await count("email", "@")).toEqual({
      contactCount: all.length,
      eligibleCount: subscribed.length - 1,
      more: false,
    })
    await env.DB.prepare(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < 9999)
       insert into contacts (team_id, id, book_id, email, created_at, updated_at)
         select ?1, 'con_' || printf('%026d', i), ?2, i || '@many.test', 0, 0 from n`,
    )
      .bind(team.id, bookId)
      .run()
    const many = await count("email", "@many.test")
    expect(many).toMatchObject({ eligibleCount: many.contactCount, more: true })
    expect(many.contactCount).toBeGreaterThan(5_000)
  })

  it("loses an address that is erased", async () => {
    const team = await makeTeam()
    const bookId = await makeBook(team)
    const about = { all: [{ field: "email", op: "isNot", value: "Ada@Example.com" }] }
    const { body } = await createSegment(team, bookId, about)
    await team.api.patch(`/segments/${body.id}`, { name: "Not ada@example.com" })
    const ctx = createKeyCtx(testWork().work, sha256Hex(team.api.key), "full")
    await eraseAddress(ctx, ADA)
    const { name, filter } = (await team.api.get(`/segments/${body.id}`)).body
    expect(JSON.stringify([name, filter])).not.toMatch(/ada@/i)
    expect(name).toContain("@erased.invalid")
  })

  it("loses an erased address that it has with its domain in Unicode", async () => {
    const team = await makeTeam()
    const value = "Zoe@BÜCHER.example"
    const { body } = await createSegment(team, await makeBook(team), {
      any: [{ field: "email", op: "is", value }],
    })
    const ctx = createKeyCtx(testWork().work, sha256Hex(team.api.key), "full")
    await eraseAddress(ctx, "zoe@xn--bcher-kva.example")
    const { filter } = (await team.api.get(`/segments/${body.id}`)).body
    expect(filter.any[0].value).toContain("@erased.invalid")
  })

  it("of a large book is counted page by page, by however many consumers", async () => {
    const team = await makeTeam()
    const bookId = await makeBook(team)
    await env.DB.prepare(
      `insert into contacts (team_id, book_id, id, email, subscribed, created_at, updated_at)
       with recursive n (n) as (select 1 union all select n + 1 from n where n < 12345)
       select ?1, ?2, 'ct_' || printf('%026d', n), n || '@example.com', n % 3 = 0, 1, 1 from n`,
    )
      .bind(team.id, bookId)
      .run()
    const { body } = await createSegment(team, bookId, filter)
    await eventually(async () => {
      const row = await env.DB.prepare("select count_cursor from segments where id = ?")
        .bind(body.id)
        .first()
      expect(row?.count_cursor).not.toBeNull()
    })
    await env.DB.prepare("update segments set count_due_at = 0 where id = ? and count_due_at > 0")
      .bind(body.id)
      .run()
    await Promise.all([1, 2, 3].map(() => sweepSegments(testWork().work)))
    await eventually(async () => {
      await sweepSegments(testWork().work)
      const { contactCount } = (await team.api.get(`/segments/${body.id}`)).body
      expect(contactCount).toBe(4115)
    })
    expect(await membersOf(team, body.id)).toHaveLength(4115)
    await warmed(team.api)
    const page = await metered(() => team.api.get(`/segments/${body.id}/contacts?limit=100`))
    expect(page).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(page.rowsRead).toBeLessThan(2_000)
  })

  it("of contacts with large properties is read and counted whole, a megabyte at a time", async () => {
    const team = await makeTeam()
    const bookId = await makeBook(team)
    const properties = JSON.stringify({ note: "x".repeat(15_000) })
    await env.DB.prepare(
      `insert into contacts (team_id, book_id, id, email, properties, subscribed, created_at, updated_at)
       with recursive n (n) as (select 1 union all select n + 1 from n where n < 450)
       select ?1, ?2, 'ct_' || printf('%026d', n), n || '@example.com', ?3, n % 9 = 0, 1, 1 from n`,
    )
      .bind(team.id, bookId, properties)
      .run()
    const { body: segment } = await createSegment(team, bookId, filter)
    await warmed(team.api)
    const read = () => team.api.get(`/segments/${segment.id}/contacts?limit=50`)
    // After the first 200 contacts, 67 at a time.
    expect(await metered(read)).toMatchObject({ roundTrips: 5 })
    expect(await membersOf(team, segment.id)).toHaveLength(50)
    const input = { ...campaignInput(team, bookId), segmentId: segment.id }
    const { body: campaign } = await team.api.post("/campaigns", input)
    const { body: audience } = await team.api.get(`/campaigns/${campaign.id}/audience`)
    expect(audience.eligible).toBe(50)
    await eventually(async () => {
      await sweepSegments(testWork().work)
      const { contactCount } = (await team.api.get(`/segments/${segment.id}`)).body
      expect(contactCount).toBe(50)
    })
  })
})
