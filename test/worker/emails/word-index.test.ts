import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { newId } from "../../../src/lib/id.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/lib/time.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { purgeExpired } from "../../../src/worker/emails/retention/retention.ts"
import { indexWords } from "../../../src/worker/emails/word-index/build.ts"
import { eraseAddress } from "../../../src/worker/erasure/erase.ts"
import { metered } from "../../support/meter.ts"
import { makePerson } from "../../support/session.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

interface Stored {
  id: string
  address: string
  name?: string
  subject: string
  status: string
}

/** Noon of yesterday, so that the emails of a test are of one day. */
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2

const stored = (at: number, change: Partial<Stored> = {}): Stored => ({
  id: newId("email", NOON + at),
  address: "someone@example.com",
  subject: "Hello",
  status: "delivered",
  ...change,
})

async function store({ id: teamId }: Team, rows: readonly Stored[]) {
  const run = (text: string) => env.DB.prepare(text).bind(teamId, JSON.stringify(rows))
  await env.DB.batch([
    run(`insert into emails (team_id, id, status, sender, recipients, subject, tags, domain_id,
        created_at, not_before)
      select ?1, value ->> 'id', value ->> 'status', '{"address":"a@b.test"}',
        json_array(json_object('address', value ->> 'address', 'name', value ->> 'name', 'as', 'to')),
        value ->> 'subject', '{}', 'dom_none', 0, 0 from json_each(?2)`),
    run(`insert into email_recipients (team_id, address, email_id)
      select ?1, value ->> 'address', value ->> 'id' from json_each(?2)`),
  ])
}

const index = () => indexWords(testWork().work)

const rowsOf = async ({ id }: Team) =>
  (
    await env.DB.prepare("select * from email_words where team_id = ? order by first_id")
      .bind(id)
      .all<{ first_id: string; last_id: string; words: string }>()
  ).results

const toText = (query: Record<string, string>) => new URLSearchParams(query).toString()

/** The ids of all pages, and how many calls they took. */
async function walk({ api }: Team, query: Record<string, string>) {
  const ids: string[] = []
  let calls = 0
  for (let cursor: string | null = ""; cursor !== null; calls++) {
    const { status, body } = await api.get(
      `/emails?${toText({ ...query, ...(cursor && { cursor }) })}`,
    )
    expect(status).toBe(200)
    ids.push(...body.data.map(({ id }: Stored) => id))
    cursor = body.nextCursor
  }
  return { ids, calls }
}

const PEOPLE = {
  donald: stored(1, { address: "bounce+donald.sharma2975@mail.example.com" }),
  elodie: stored(2, { address: "e@example.org", name: "Élodie Müller" }),
  invoice: stored(3, { subject: "Your invoice 42: Größe & Preis", status: "bounced" }),
  macdonald: stored(4, { address: "macdonald@example.com" }),
}
const nameOf = (id: string) => Object.entries(PEOPLE).find(([, one]) => one.id === id)?.[0]

describe.each([false, true])("a search for words, with an index: %s", (isIndexed) => {
  let team: Team
  beforeAll(async () => {
    team = await makeTeam()
    await store(team, Object.values(PEOPLE))
    if (isIndexed) await index()
    expect(await rowsOf(team)).toHaveLength(Number(isIndexed))
  })

  it.each([
    ["donald.sharma2975", ["donald"]],
    ["SHARMA", ["donald"]],
    ["donald", ["donald"]],
    ["2975", []],
    ["bounce example", ["donald"]],
    ["example.com donald", ["donald"]],
    ["élodie", ["elodie"]],
    ["MÜLL", ["elodie"]],
    ["invoice 42", ["invoice"]],
    ["grösse", []],
    ["GRÖSS", []],
    ["größe", ["invoice"]],
    ["exam", ["macdonald", "invoice", "elodie", "donald"]],
    ["hello org", ["elodie"]],
    ["hello nobody", []],
    ["address", []],
    ["%", null],
  ])("finds %s", async (q, found) => {
    const { status, body } = await team.api.get(`/emails?${toText({ q })}`)
    expect(status).toBe(found ? 200 : 400)
    if (!found) return
    expect(body.data.map(({ id }: Stored) => nameOf(id))).toEqual(found)
    expect([body.nextCursor, body.searchedUntil]).toEqual([null, undefined])
  })

  it.each([
    [{ status: "bounced" }, ["invoice"]],
    [{ status: "delivered" }, ["macdonald", "elodie", "donald"]],
    [{ to: "macdonald@example.com" }, ["macdonald"]],
    [{ to: "@example.com" }, ["macdonald", "invoice"]],
    [{ to: "mac" }, ["macdonald"]],
    [{ subject: "invoice" }, ["invoice"]],
    [{ since: new Date(NOON + 3).toISOString() }, ["macdonald", "invoice"]],
    [{ until: new Date(NOON + 2).toISOString() }, ["donald"]],
  ] as [Record<string, string>, string[]][])("combines with %o", async (filter, found) => {
    const { ids } = await walk(team, { q: "example", ...filter })
    expect(ids.map(nameOf)).toEqual(found)
  })

  it("has pages of any size, without a gap", async () => {
    const { ids } = await walk(team, { q: "example", limit: "1" })
    expect(ids.map(nameOf)).toEqual(["macdonald", "invoice", "elodie", "donald"])
  })

  it("does not find another team's emails", async () => {
    const other = await makeTeam()
    expect((await walk(other, { q: "donald" })).ids).toEqual([])
  })

  it("is counted", async () => {
    const person = await makePerson(team.id, "member")
    const count = async (query: Record<string, string>) =>
      (await person.get(`/emails/count?${toText(query)}`)).body
    expect(await count({ q: "example" })).toEqual({ count: 4, more: false })
    expect(await count({ q: "example", status: "bounced" })).toEqual({ count: 1, more: false })
    expect(await count({ q: "nobody" })).toEqual({ count: 0, more: false })
  })
})

describe("the index of words", () => {
  it("writes a row for up to a thousand emails of a day", async () => {
    const team = await makeTeam()
    const today = Array.from({ length: 1_100 }, (_, at) =>
      stored(at, { address: `person${at}@example.com` }),
    )
    const before = [stored(-DAY_MS), stored(1 - DAY_MS)]
    await store(team, [...before, ...today])
    const meter = await metered(index)
    expect(meter.rowsWritten).toBe(3)
    const rows = await rowsOf(team)
    expect(rows.map(({ words }) => Object.keys(JSON.parse(words)).length)).toEqual([2, 1_000, 100])
    const { ids } = await walk(team, { q: "person", limit: "100" })
    expect(ids).toEqual(today.map(({ id }) => id).toReversed())
    expect((await walk(team, { q: "person77" })).ids).toHaveLength(11)
  })

  it("adds to the newest row, and finds what has no words yet", async () => {
    const team = await makeTeam()
    const [first, second, third] = [stored(1), stored(2), stored(3)]
    await store(team, [first])
    await index()
    await store(team, [second])
    await index()
    await store(team, [third])
    const rows = await rowsOf(team)
    expect(rows).toMatchObject([{ first_id: first.id, last_id: second.id }])
    expect((await walk(team, { q: "hello", limit: "2" })).ids).toEqual([
      third.id,
      second.id,
      first.id,
    ])
  })

  it("leaves emails alone that were just accepted", async () => {
    const team = await makeTeam()
    await store(team, [stored(0, { id: newId("email", Date.now() - 5 * MINUTE_MS) })])
    await index()
    expect(await rowsOf(team)).toEqual([])
  })

  it("says how far a search has looked that meets many emails without words", async () => {
    const team = await makeTeam()
    const many = Array.from({ length: 1_500 }, (_, at) => stored(at))
    await store(team, [...many, stored(-HOUR_MS, { subject: "rare" })])
    const { body } = await team.api.get("/emails?q=rare")
    expect(body).toMatchObject({ data: [], searchedUntil: new Date(NOON + 500).toISOString() })
    expect((await walk(team, { q: "rare" })).ids).toHaveLength(1)
  })

  it("reads two million characters of emails at a time", async () => {
    const team = await makeTeam()
    const long = Array.from({ length: 300 }, (_, at) => stored(at, { name: "long ".repeat(2_000) }))
    for (const part of [long.slice(0, 150), long.slice(150)]) await store(team, part)
    const [{ characters }] = (
      await env.DB.prepare("select length(recipients) + 5 as characters from emails where id = ?")
        .bind(long[0]!.id)
        .all<{ characters: number }>()
    ).results as [{ characters: number }]
    const read = Math.ceil(2_000_000 / characters)
    expect(read).toBeLessThan(200)
    const person = await makePerson(team.id, "member")
    for (const filter of ["", "&to=someone@example.com"]) {
      const { body } = await team.api.get(`/emails?q=rare${filter}`)
      const searchedUntil = new Date(NOON + 300 - read).toISOString()
      expect(body.searchedUntil).toBe(searchedUntil)
      const { body: counted } = await person.get(`/emails/count?q=long${filter}`)
      expect(counted).toEqual({ count: read, more: false, searchedUntil })
      const { ids } = await walk(team, {
        q: "long",
        limit: "100",
        ...(filter && { to: "someone@example.com" }),
      })
      expect(ids).toEqual(long.map(({ id }) => id).toReversed())
    }
    await index()
    expect(await rowsOf(team)).toMatchObject([{ last_id: long.at(-1)?.id }])
  })

  it("loses the words of an erased address, and keeps those of the others", async () => {
    const team = await makeTeam()
    const ada = stored(1, { address: "ada@example.com", name: "Ada Byron" })
    await store(team, [ada, stored(2, { address: "bob@example.com" })])
    await index()
    const ctx = createKeyCtx(testWork().work, sha256Hex(team.api.key), "full")
    await eraseAddress(ctx, "ada@example.com")
    const [row] = await rowsOf(team)
    expect(row?.words).not.toMatch(/ ada| byron/)
    expect((await walk(team, { q: "bob" })).ids).toHaveLength(1)
    expect((await walk(team, { q: "hello" })).ids).toHaveLength(2)
  })

  it("writes no words while an address is erased", async () => {
    const team = await makeTeam()
    await store(team, [stored(1)])
    await env.DB.prepare(
      "insert into erasures (team_id, email, requested_at) values (?, 'a@b.c', 1)",
    )
      .bind(team.id)
      .run()
    await index()
    expect(await rowsOf(team)).toEqual([])
  })

  it("is purged with the emails", async () => {
    const team = await makeTeam()
    await store(team, [stored(1), stored(HOUR_MS)])
    await index()
    const { work } = testWork()
    const at = (time: number) => purgeExpired({ ...work, now: () => time })
    await at(NOON + 90 * DAY_MS)
    expect(await rowsOf(team)).toHaveLength(1)
    await at(NOON + 91 * DAY_MS)
    expect(await rowsOf(team)).toEqual([])
  })
})

describe("among half a million emails with words", () => {
  const ROWS = 500
  /** The number stands where an id has its time. */
  const idOf = (number: number) => `em_${String(number).padStart(10, "0")}${"0".repeat(16)}`
  let team: Team
  beforeAll(async () => {
    team = await makeTeam()
    await store(team, [
      stored(0, { id: idOf(499_500), address: "donald.sharma@example.com" }),
      stored(0, { id: idOf(777), address: "donald.duck@example.com" }),
    ])
    await env.DB.prepare(
      `with recursive n (i) as (select 0 union all select i + 1 from n where i < ?2 - 1),
        m (i) as (select 0 union all select i + 1 from m where i < 999)
      insert into email_words (team_id, first_id, last_id, words)
      select ?1, printf('em_%010d%016d', n.i * 1000, 0), printf('em_%010d%016d', n.i * 1000 + 999, 0), (
        select json_group_object(printf('em_%010d%016d', n.i * 1000 + 999 - m.i, 0), case n.i * 1000 + 999 - m.i
          when 499500 then ' donald sharma example com' when 777 then ' donald duck example com'
          else printf(' person%d example com order %d', m.i, m.i) end) from m)
      from n`,
    )
      .bind(team.id, ROWS)
      .run()
    // The first call of a key writes when it was used.
    await team.api.get("/me")
  })

  it.each([
    ["a person of the newest emails", "sharma"],
    ["a person of the oldest emails", "duck"],
    ["a person with mail of both", "donald"],
    ["a word that nobody has", "nobody"],
  ])(
    "looks for %s with a row for a thousand emails, and those of the rows that match",
    async (_name, q) => {
      const meter = await metered(async () => {
        expect((await walk(team, { q })).calls).toBeLessThanOrEqual(3)
      })
      expect(meter.rowsWritten).toBe(0)
      expect(meter.rowsRead).toBeLessThanOrEqual(ROWS + 2 * 1_000 + 100)
    },
  )
})
