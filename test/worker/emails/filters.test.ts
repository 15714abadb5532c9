import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { type IdKind, newId } from "../../../src/lib/id.ts"
import { storedWords } from "../../../src/worker/emails/word-index/subject-words.ts"
import { EVENT_BITS } from "../../../src/worker/stats/counters.ts"
import { createApi } from "../../support/api.ts"
import { PERSON_ROUND_TRIPS } from "../../support/installation.ts"
import { metered } from "../../support/meter.ts"
import { makePerson } from "../../support/session.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { warmed } from "../../support/warm.ts"

const START = Date.parse("2026-03-01T00:00:00Z")

interface Seeded {
  id: string
  createdAt: number
  status: string
  sender: string
  addresses: string[]
  tags: Record<string, string>
  subject: string
  domainId: string
  campaignId: string | null
  templateId: string | null
  keyId: string | null
  opened: boolean
  clicked: boolean
}

const seed = (at: number, change: Partial<Seeded> = {}): Seeded => ({
  id: newId("email", START + at),
  createdAt: START + at,
  status: "delivered",
  sender: "a@b.test",
  addresses: ["someone@example.com"],
  tags: {},
  subject: "Hello",
  domainId: "dom_none",
  campaignId: null,
  templateId: null,
  keyId: null,
  opened: false,
  clicked: false,
  ...change,
})

/** As an accept stores them. */
async function store({ id: teamId }: Team, emails: readonly Seeded[]) {
  const rows = emails.map((email) => ({
    ...email,
    words: storedWords(email.subject),
    recipients: email.addresses.map((address) => ({ address, as: "to", name: "x@other.test" })),
    listed: Object.entries(email.tags).flatMap(([key, value]) => [key, `${key}:${value}`]),
    bits:
      (email.opened ? EVENT_BITS.opened : 0) +
      (email.clicked ? EVENT_BITS.clicked : 0) +
      EVENT_BITS.delivered,
  }))
  for (let at = 0; at < rows.length; at += 500) {
    const chunk = JSON.stringify(rows.slice(at, at + 500))
    const run = (text: string) => env.DB.prepare(text).bind(teamId, chunk)
    await env.DB.batch([
      run(`insert into emails (team_id, id, status, sender, recipients, subject, subject_words, tags,
          domain_id, campaign_id, template_id, key_id, event_types, created_at, not_before)
        select ?1, value ->> 'id', value ->> 'status', json_object('address', value ->> 'sender'),
          value -> 'recipients', value ->> 'subject', value ->> 'words', value -> 'tags', value ->> 'domainId',
          value ->> 'campaignId', value ->> 'templateId', value ->> 'keyId', value ->> 'bits',
          value ->> 'createdAt', 0 from json_each(?2)`),
      run(`insert into email_recipients (team_id, address, email_id)
        select ?1, a.value, x.value ->> 'id' from json_each(?2) x, json_each(x.value, '$.addresses') a`),
      run(`insert into email_tags (team_id, tag, email_id)
        select ?1, t.value, x.value ->> 'id' from json_each(?2) x, json_each(x.value, '$.listed') t`),
    ])
  }
}

type Query = Record<string, string | string[]>

const toText = (query: Query) =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value] as [string, string]),
    ),
  ).toString()

/** The ids of all pages. */
async function walk(team: Team, query: Query) {
  const ids: string[] = []
  const pages: { size: number; searchedUntil?: string }[] = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { status, body } = await team.api.get(
      `/emails?${toText({ ...query, ...(cursor && { cursor }) })}`,
    )
    expect([query, status]).toEqual([query, 200])
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    pages.push({ size: body.data.length, searchedUntil: body.searchedUntil })
    cursor = body.nextCursor
  }
  return { ids, pages }
}

const newestFirst = (emails: readonly Seeded[]) =>
  emails.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1))

describe("a list by recipient", () => {
  const addresses = [
    "ann@example.com",
    "annika@example.com",
    "ann@sub.example.com",
    "a_n@example.com",
    "axn@example.com",
    "100%off@example.com",
    "100xoff@example.com",
    "bob@notexample.com",
  ]
  let team: Team
  beforeAll(async () => {
    team = await makeTeam()
    await store(
      team,
      addresses.map((address, at) => seed(at, { subject: address, addresses: [address] })),
    )
  })

  it.each([
    ["ann@example.com", ["ann@example.com"]],
    [" ANN@Example.COM ", ["ann@example.com"]],
    ["ann", ["ann@sub.example.com", "annika@example.com", "ann@example.com"]],
    ["ANN@", ["ann@sub.example.com", "ann@example.com"]],
    ["ann@exam", ["ann@example.com"]],
    ["nik", []],
    ["a_n", ["a_n@example.com"]],
    ["100%", ["100%off@example.com"]],
    ["%nn", []],
    ["@example.com", addresses.toSpliced(2, 1).slice(0, 6).toReversed()],
    ["@EXAMPLE.com", addresses.toSpliced(2, 1).slice(0, 6).toReversed()],
    ["@sub.example.com", ["ann@sub.example.com"]],
    ["@ample.com", []],
    ["@other.test", []],
  ])("finds %s", async (to, found) => {
    const { body } = await team.api.get(`/emails?${toText({ to })}`)
    expect(body.data.map(({ subject }: Seeded) => subject)).toEqual(found)
    expect(body).not.toHaveProperty("searchedUntil")
    expect(body.nextCursor).toBeNull()
  })
})

describe("a list by subject", () => {
  it.each([
    ["invoice", ["Your Invoice 42", "INVOICES, all of them"]],
    ["42 inv", ["Your Invoice 42"]],
    ["voice", []],
    ["your-invoice", ["Your Invoice 42"]],
    ["größe", ["Die GRÖSSE, die Größe"]],
    ["ПРИВЕТ", ["привет, Мир", "Привет"]],
    ["мир при", ["привет, Мир"]],
    ["cafe\u0301", ["CAFÉ crème"]],
    ["50% off", ["It's 50% off"]],
    ["s off", ["It's 50% off"]],
    ["_", undefined],
    ["%", undefined],
    ["inv%", ["Your Invoice 42", "INVOICES, all of them"]],
    ["not invoice", []],
    ["invoice OR hello", []],
    ['"invoice', ["Your Invoice 42", "INVOICES, all of them"]],
    ["snake case", ["snake_case"]],
  ])("finds %s", async (subject, found) => {
    const team = await makeTeam()
    const subjects = [
      "snake_case",
      "It's 50% off",
      "CAFÉ crème",
      "Привет",
      "привет, Мир",
      "Die GRÖSSE, die Größe",
      "INVOICES, all of them",
      "Your Invoice 42",
    ]
    await store(
      team,
      subjects.map((one, at) => seed(at, { subject: one })),
    )
    const { status, body } = await team.api.get(`/emails?${toText({ subject })}`)
    expect(status).toBe(found ? 200 : 400)
    if (found) expect(body.data.map((one: Seeded) => one.subject)).toEqual(found)
  })
})

describe("a list by what the timeline has", () => {
  it("finds opened and clicked emails, and those that are not", async () => {
    const team = await makeTeam()
    const [none, opened, both] = [
      seed(0),
      seed(1, { opened: true }),
      seed(2, { opened: true, clicked: true }),
    ]
    await store(team, [none, opened, both])
    for (const [query, found] of [
      [{ opened: "true" }, [opened, both]],
      [{ opened: "false" }, [none]],
      [{ clicked: "true" }, [both]],
      [{ clicked: "false", opened: "true" }, [opened]],
    ] as const) {
      expect((await walk(team, query)).ids).toEqual(newestFirst(found))
    }
  })
})

describe("a list by key", () => {
  it("finds what the key sent", async () => {
    const team = await makeTeam()
    const [first, second] = await Promise.all(
      ["First", "Second"].map(async (name) => (await team.api.post("/api-keys", { name })).body),
    )
    const message = { from: `a@${team.domain}`, to: "ann@example.com", subject: "Hi", text: "Hi" }
    const { body: one } = await createApi(first.secret).post("/emails", message)
    const { body: two } = await createApi(second.secret).post("/emails", message)
    expect((await walk(team, { keyId: first.id })).ids).toEqual([one.id])
    expect((await walk(team, { keyId: second.id })).ids).toEqual([two.id])
  })
})

describe("the filters of a list", () => {
  it("agree with a search in memory, alone and in any combination", async () => {
    const team = await makeTeam()
    const ids = (kind: IdKind) => [newId(kind), newId(kind)] as const
    const [domains, campaigns, templates, keys] = (
      ["domain", "campaign", "template", "apiKey"] as const
    ).map(ids) as [string, string][]
    let state = 7
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    const pick = <T>(list: readonly T[]) => list[random(list.length)] as T
    const emails = Array.from({ length: 600 }, (_, at) =>
      seed(at, {
        status: pick(["delivered", "delivered", "sent", "bounced", "failed", "complained"]),
        sender: pick(["ops@one.test", "hello@one.test", "ops@mail.one.test"]),
        addresses: [
          ...new Set([
            pick(["ann@example.com", "anna@example.com", "bob@other.test"]),
            pick(["annika@mail.example.com", "carl@example.com", "ann@other.test"]),
          ]),
        ],
        tags: {
          ...(random(2) && { plan: pick(["pro", "free"]) }),
          ...(random(2) && { kind: pick(["a", "b:c"]) }),
        },
        subject: pick(["Your invoice", "Invoice, paid", "Ваш счёт", "Welcome"]),
        domainId: pick(domains!),
        campaignId: pick([null, null, ...campaigns!]),
        templateId: pick([null, ...templates!]),
        keyId: pick([null, ...keys!]),
        opened: random(2) === 1,
        clicked: random(4) === 1,
      }),
    )
    await store(team, emails)
    const person = await makePerson(team.id, "member")
    const at = (index: number) => new Date(START + index).toISOString()
    const filters: [Query, (email: Seeded) => boolean][] = [
      [{ status: "bounced" }, ({ status }) => status === "bounced"],
      [{ status: ["bounced", "failed"] }, ({ status }) => ["bounced", "failed"].includes(status)],
      [{ status: ["sent", "failed", "sent"] }, ({ status }) => ["sent", "failed"].includes(status)],
      [{ to: "ann@example.com" }, (one) => one.addresses.includes("ann@example.com")],
      [{ to: "Ann" }, (one) => one.addresses.some((address) => address.startsWith("ann"))],
      [{ to: "@Example.com" }, (one) => one.addresses.some((a) => a.endsWith("@example.com"))],
      [{ from: "Ops@One.test" }, ({ sender }) => sender === "ops@one.test"],
      [{ from: "@one.test" }, ({ sender }) => sender.endsWith("@one.test")],
      [{ tag: "plan" }, ({ tags }) => "plan" in tags],
      [{ tag: "plan:pro" }, ({ tags }) => tags.plan === "pro"],
      [{ tag: ["kind:b:c", "plan"] }, ({ tags }) => tags.kind === "b:c" && "plan" in tags],
      [{ tag: ["plan:pro", "plan:free"] }, () => false],
      [{ domainId: domains![0] }, ({ domainId }) => domainId === domains![0]],
      [{ campaignId: campaigns![0] }, ({ campaignId }) => campaignId === campaigns![0]],
      [{ templateId: templates![0] }, ({ templateId }) => templateId === templates![0]],
      [{ keyId: keys![0] }, ({ keyId }) => keyId === keys![0]],
      [{ subject: "INV" }, ({ subject }) => subject.toLowerCase().includes("inv")],
      [{ subject: "счёт ваш" }, ({ subject }) => subject === "Ваш счёт"],
      [{ opened: "true" }, ({ opened }) => opened],
      [{ opened: "false" }, ({ opened }) => !opened],
      [{ clicked: "true" }, ({ clicked }) => clicked],
      [{ since: at(100) }, ({ createdAt }) => createdAt >= START + 100],
      [{ until: at(500) }, ({ createdAt }) => createdAt < START + 500],
    ]
    const check = async (chosen: typeof filters) => {
      const query = Object.assign({}, ...chosen.map(([one]) => one)) as Query
      const matching = emails.filter((email) =>
        // A member that is given twice counts once: the last one.
        chosen.every(([one, matches], index) =>
          chosen.slice(index + 1).some(([later]) => Object.keys(later)[0] === Object.keys(one)[0])
            ? true
            : matches(email),
        ),
      )
      const limit = pick(["10", "25", "100"])
      expect({ query, ids: (await walk(team, { ...query, limit })).ids }).toEqual({
        query,
        ids: newestFirst(matching),
      })
      const { body } = await person.get(`/emails/count?${toText(query)}`)
      expect({ query, ...body }).toEqual({ query, count: matching.length, more: false })
    }
    for (const filter of filters) await check([filter])
    for (let round = 0; round < 20; round++) {
      await check(Array.from({ length: 2 + random(3) }, () => pick(filters)))
    }
  }, 120_000)

  it("find nothing by a malformed id, whatever the team has", async () => {
    const team = await makeTeam()
    await store(
      team,
      Array.from({ length: 1_100 }, (_, at) => seed(at)),
    )
    for (const name of ["domainId", "campaignId", "templateId", "keyId"]) {
      for (const id of ["%", "nonsense", newId("email")]) {
        const { status, body } = await team.api.get(`/emails?${toText({ [name]: id })}`)
        expect([name, id, status, body]).toEqual([name, id, 200, { data: [], nextCursor: null }])
      }
    }
  })

  it.each([
    ["to=ab", "to"],
    ["to=@", "to"],
    ["to=@nodomain", "to"],
    ["to=@ex_mple.com", "to"],
    ["from=ops", "from"],
    ["from=@nodomain", "from"],
    ["subject=", "subject"],
    ["subject=---", "subject"],
    ["opened=yes", "opened"],
    ["clicked=", "clicked"],
    ["status=bounced&status=nonsense", "status"],
    ["tag=a&tag=", "tag"],
    ["to=ann@example.com&to=bob@example.com", "to"],
    ["subject=a&subject=b", "subject"],
    ["keyID=key_1", "keyID"],
    ["templateid=tpl_1", "templateid"],
    ["statsu=bounced", "statsu"],
  ])("refuse %s", async (query, name) => {
    const { api } = await makeTeam()
    const reply = await api.get(`/emails?${query}`)
    expect([reply.status, reply.body.error?.code]).toEqual([400, "validation_error"])
    expect(reply.body.error.details[0].path[0]).toBe(name)
  })
})

describe("a page that could not look at everything", () => {
  it("says how far back it has looked, until it knows that nothing matches", async () => {
    const team = await makeTeam()
    await store(
      team,
      Array.from({ length: 2_300 }, (_, at) =>
        seed(at, { subject: at === 5 ? "The needle" : "Hay", addresses: [`usr${at}@hay.test`] }),
      ),
    )
    const { ids, pages } = await walk(team, { subject: "needle" })
    expect(ids).toHaveLength(1)
    expect(pages).toEqual([
      { size: 0, searchedUntil: new Date(START + 1_300).toISOString() },
      { size: 0, searchedUntil: new Date(START + 300).toISOString() },
      { size: 1, searchedUntil: undefined },
    ])
    expect((await walk(team, { to: "usr22" })).ids).toHaveLength(111)
    expect((await walk(team, { to: "usr22" })).pages.at(-1)).toEqual({ size: 11 })
    const { pages: many } = await walk(team, { to: "usr1", subject: "needle" })
    expect(many).toHaveLength(3)
  })

  // Some rows of an index and of JSON for each of the 1,000 emails.
  const MOST_ROWS = 15_000
  const QUERIES: Query[] = [
    { to: "someone@example.com", status: "delivered", limit: "25" },
    { to: "som", subject: "nothing" },
    { to: "@elsewhere.test" },
    { from: "@elsewhere.test" },
    { tag: ["plan:pro", "plan:free"] },
    { status: ["bounced", "failed"], opened: "true" },
    { subject: "nothing" },
    { keyId: newId("apiKey"), clicked: "true" },
  ]

  it.each([1_000, 100_000])(
    "reads a bounded number of rows among %i",
    async (count) => {
      const team = await makeTeam()
      const prefix = newId("email", START).slice(0, 21)
      const run = (text: string) => env.DB.prepare(text).bind(team.id, prefix, count)
      const numbers =
        "with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ?3)"
      await env.DB.batch([
        run(`insert into emails (team_id, id, status, sender, recipients, subject, tags, domain_id,
          created_at, not_before)
        ${numbers} select ?1, ?2 || printf('%08d', i), iif(i % 50, 'delivered', 'bounced'),
          '{"address":"a@b.test"}', '[{"address":"someone@example.com","as":"to"}]', 'Your invoice',
          '{"plan":"pro"}', 'd', ${START}, 0 from n`),
        run(`insert into email_recipients (team_id, address, email_id)
        ${numbers} select ?1, 'someone@example.com', ?2 || printf('%08d', i) from n`),
        run(`insert into email_tags (team_id, tag, email_id)
        ${numbers} select ?1, 'plan:pro', ?2 || printf('%08d', i) from n`),
      ])
      await warmed(team.api)
      for (const query of QUERIES) {
        const cost = await metered(async () => {
          const { body } = await team.api.get(`/emails?${toText(query)}`)
          if (count > 50_000 && body.data.length === 0) expect(body.searchedUntil).toBeDefined()
        })
        expect([query, cost.roundTrips]).toEqual([query, 1])
        expect([query, Math.max(cost.rowsRead, MOST_ROWS)]).toEqual([query, MOST_ROWS])
      }
    },
    120_000,
  )
})

describe("a count", () => {
  it("is exact up to 1,000, and says how far back it has looked", async () => {
    const team = await makeTeam()
    const person = await makePerson(team.id, "member")
    await store(
      team,
      Array.from({ length: 5_600 }, (_, at) =>
        seed(at, {
          subject: at % 700 === 0 ? "The needle" : "Hay",
          status: at < 1_000 ? "bounced" : at < 2_001 ? "failed" : "delivered",
        }),
      ),
    )
    const count = async (query: Query) => (await person.get(`/emails/count?${toText(query)}`)).body
    expect(await count({})).toEqual({ count: 1_000, more: true })
    expect(await count({ status: "bounced" })).toEqual({ count: 1_000, more: false })
    expect(await count({ status: "failed" })).toEqual({ count: 1_000, more: true })
    expect(await count({ subject: "hay" })).toEqual({ count: 1_000, more: true })
    expect(await count({ subject: "needle" })).toEqual({
      count: 7,
      more: false,
      searchedUntil: new Date(START + 599).toISOString(),
    })
    expect(await count({ subject: "needle", since: new Date(START + 600).toISOString() })).toEqual({
      count: 7,
      more: false,
    })
    expect(await count({ subject: "nothing", status: "bounced" })).toEqual({
      count: 0,
      more: false,
    })
  })

  it("takes one round trip and reads each email once", async () => {
    const team = await makeTeam()
    const person = await makePerson(team.id, "member")
    await store(
      team,
      Array.from({ length: 6_000 }, (_, at) => seed(at)),
    )
    await person.get("/emails/count")
    for (const [query, rows] of [
      ["", 1_001],
      ["?subject=nothing", 5_001],
    ] as const) {
      const cost = await metered(() => person.get(`/emails/count${query}`))
      expect(cost.roundTrips).toBe(1 + PERSON_ROUND_TRIPS)
      // A subject that is tokenised reads some rows of JSON for each email.
      expect([query, cost.rowsRead < rows * 3 + 50]).toEqual([query, true])
    }
  })
})
