import { env } from "cloudflare:workers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dashboardEndpoints, endpoints } from "../../../../src/worker/contract.ts"
import type { Endpoint } from "../../../../src/worker/platform/http/endpoint.ts"
import { request } from "../../../support/api.ts"
import { directory, PERSON_ROUND_TRIPS } from "../../../support/installation.ts"
import { fakeInternet, type Internet } from "../../../support/internet.ts"
import { metered } from "../../../support/meter.ts"
import { makePerson, type Person } from "../../../support/session.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { examples } from "../../platform/http/examples.ts"
import { dashboardExamples } from "./examples.ts"

const reads: Endpoint[] = [...endpoints, ...dashboardEndpoints].filter(
  ({ method, access, path }) => method === "GET" && access !== "public" && path !== "/me",
)

/** Below the limits of a team. */
const COPIES = 190
/** The copied rows of a table. */
const ALL = 5 * COPIES

/** A page of 25, and ten rows for the session, its person, their place and their team. */
const PAGE_ROWS = 25 + 10
const TWO_ROWS_EACH = 2 * 25 + 10

/** The reads that cost more, and why. */
const MAX_ROWS: Record<string, [rows: number, why: string]> = {
  "GET /campaigns": [TWO_ROWS_EACH, "a campaign has a run"],
  "GET /campaign-rows": [TWO_ROWS_EACH, "a campaign has a run"],
  "GET /members": [TWO_ROWS_EACH, "a member is a person"],
  "GET /webhooks/:id/deliveries": [
    TWO_ROWS_EACH + 2,
    "a delivery is of an event, also the next page's first",
  ],
  "GET /inbox": [TWO_ROWS_EACH, "a message is of an email"],
  "GET /sessions": [2 * (COPIES + 1) + 10, "all sessions of one person are sorted by their use"],
  "GET /overview": [COPIES + 40, "failed domains are looked for among the team's domains"],
  "GET /campaigns/:id/audience": [ALL, "the audience is counted"],
  "GET /webhook-health": [
    3 * ALL,
    "of at most 5,000 deliveries, those that are pending or failed are read",
  ],
  "GET /recipients/:email": [ALL + 50, "the address is looked for in at most 1,000 books"],
  "GET /segments/:id/contacts": [
    3 * 4 * 25 + 10,
    "four contacts are compared for each of the page",
  ],
  "GET /team/usage": [8 * (ALL + 50), "all that has a limit is counted"],
  "GET /refused-calls": [TWO_ROWS_EACH, "a refused call is of a key"],
  "GET /inboxes": [TWO_ROWS_EACH, "an inbox is of a domain"],
  "GET /received-emails": [TWO_ROWS_EACH, "mail is of an inbox that is not deleted"],
  "GET /threads": [TWO_ROWS_EACH + PAGE_ROWS, "a thread is found by its position"],
  "GET /threads/:id/messages": [
    TWO_ROWS_EACH,
    "the thread, its inbox and the ids of its messages are read for received mail and for sent mail",
  ],
  "GET /run-rows": [3 * PAGE_ROWS, "a run is of a sequence and of a contact"],
  "GET /search": [ALL + 50, "words are looked for in at most 2,000 emails"],
}

/** The columns in which the copies of a row differ, by table. */
const COPIED: Record<string, readonly string[]> = {
  emails: ["id", "idempotency_key"],
  email_recipients: ["email_id"],
  email_tags: ["email_id"],
  api_keys: ["id", "secret_hash"],
  domains: ["id", "name"],
  templates: ["id", "slug"],
  contact_books: ["id"],
  contacts: ["id", "email"],
  campaigns: ["id"],
  campaign_runs: ["campaign_id"],
  suppressions: ["id", "email"],
  events: ["id", "sequence"],
  deliveries: ["id"],
  sandbox_messages: ["email_id"],
  layouts: ["id"],
  members: ["user_id"],
  invitations: ["id", "email", "mailed_hash", "copied_hash"],
  audit_log: ["id"],
  refused_calls: ["id"],
  stats_days: ["day"],
  inboxes: ["id", "address"],
  received_emails: ["id"],
  threads: ["id", "position"],
}

/** For a team of another database: the person, then the team. */
const ROUND_TRIPS = new Map(
  reads.map(({ method, path, inDirectory }) => [
    `${method} ${path}`,
    inDirectory ? 1 : 1 + PERSON_ROUND_TRIPS,
  ]),
)
// The members are counted beside the team's data.
ROUND_TRIPS.set("GET /overview", 1 + 2 * PERSON_ROUND_TRIPS)

const OF_PEOPLE = new Set(["members", "invitations", "users", "sessions"])

/** Copies rows of the team. Numbers differ by the number of the copy, texts in their end. */
async function copyRows(table: string, changing: readonly string[], where: string, id: string) {
  const db = OF_PEOPLE.has(table) ? directory : env.DB
  const { results } = await db.prepare(`select name from pragma_table_info('${table}')`).all()
  const columns = results.map(({ name }) => String(name))
  const copied = columns.map((name) =>
    changing.includes(name)
      ? `iif(typeof(${name}) = 'integer', ${name} + i,
          substr(${name}, 1, length(${name}) - 5) || printf('%05d', i))`
      : name,
  )
  await db
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COPIES})
     insert or ignore into ${table} (${columns}) select ${copied}
     from (select * from ${table} where ${where} = ? limit 5), n`,
    )
    .bind(id)
    .run()
}

describe("among many rows, a read of the dashboard", () => {
  let internet: Internet
  let team: Team
  let owner: Person
  const paths: Record<string, string> = {
    // The examples of templates share a slug.
    "GET /templates/:slugOrId": "/templates/welcome",
    "GET /templates/:slugOrId/links": "/templates/welcome/links",
    "GET /templates/:slugOrId/draft": "/templates/welcome/draft",
  }

  beforeAll(async () => {
    internet = fakeInternet()
    team = await makeTeam()
    owner = await makePerson(team.id, "owner")
    for (const name of ROUND_TRIPS.keys()) {
      const make = examples[name] ?? dashboardExamples[name]
      paths[name] ??= (await make!(team, owner)).path
    }
    for (const [table, changing] of Object.entries(COPIED)) {
      await copyRows(table, changing, "team_id", team.id)
    }
    await copyRows("users", ["id", "email"], "id", owner.id)
    await copyRows("sessions", ["token", "id"], "user_id", owner.id)
  }, 120_000)
  afterAll(() => internet.restore())

  async function costOf(path: string, roundTrips = 1 + PERSON_ROUND_TRIPS) {
    const ask = async () => {
      const { cookie } = owner
      const reply = await request("GET", `/dashboard/api${path}`, undefined, { cookie })
      expect(reply.status).toBe(200)
    }
    await ask()
    const cost = await metered(ask)
    expect(cost).toMatchObject({ roundTrips, rowsWritten: 0 })
    return cost.rowsRead
  }

  it.each([...ROUND_TRIPS])("%s reads a page of rows in %i round trips", async (name, trips) => {
    const [maxRows] = MAX_ROWS[name] ?? [PAGE_ROWS]
    expect(await costOf(paths[name]!, trips)).toBeLessThanOrEqual(maxRows)
  })

  it.each(["", "someone@example.com", "status:scheduled", "status:bounced", "tag:kind"])(
    "GET /search?q=%s is one round trip and a page of rows",
    async (q) => {
      expect(await costOf(`/search?q=${encodeURIComponent(q)}`)).toBeLessThanOrEqual(TWO_ROWS_EACH)
    },
  )
})
