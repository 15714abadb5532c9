import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { dashboardEndpoints, endpoints } from "../../../src/worker/contract.ts"
import { MAX_FORMS_OF_TEAM, MAX_ROWS_OF_TEAM } from "../../../src/worker/teams/usage-contract.ts"
import { request } from "../../support/api.ts"
import { campaignInput } from "../../support/campaign.ts"
import { sessionOf } from "../../support/session.ts"
import { makeTeam, type Team } from "../../support/team.ts"

interface Limited {
  table: string
  used: string
  /** Where it is another than that of most tables. */
  limit?: number
  message: string
  input(team: Team): Promise<object> | object
}

const makeBook = async (team: Team) =>
  (await team.api.post("/contact-books", { name: "A" })).body.id

/** Calls that make rows without an end, and what bounds them. */
const LIMITED: Record<string, Limited> = {
  "templates.create": {
    table: "templates",
    used: "templates",
    message: "1,000 templates",
    input: () => ({ slug: crypto.randomUUID(), name: "A", subject: "A", bodyHtml: "A" }),
  },
  "layouts.create": {
    table: "layouts",
    used: "layouts",
    message: "1,000 layouts",
    input: () => ({ name: "A", blocks: [{ kind: "divider" }] }),
  },
  "campaigns.create": {
    table: "campaigns",
    used: "campaignDrafts",
    message: "1,000 drafts of campaigns",
    input: async (team) => campaignInput(team, await makeBook(team)),
  },
  "contactBooks.create": {
    table: "contact_books",
    used: "contactBooks",
    message: "1,000 contact books",
    input: () => ({ name: "A" }),
  },
  "segments.create": {
    table: "segments",
    used: "segments",
    message: "1,000 segments",
    input: async (team) => ({
      bookId: await makeBook(team),
      name: "A",
      filter: { all: [{ field: "email", op: "set" }] },
    }),
  },
  "forms.create": {
    table: "forms",
    used: "forms",
    limit: MAX_FORMS_OF_TEAM,
    message: "100 forms",
    input: async (team) => {
      const defaultFrom = `news@${team.domain}`
      const { body } = await team.api.post("/contact-books", { name: "A", defaultFrom })
      return { bookId: body.id, name: "A", wording: "A" }
    },
  },
  "templates.createDraft": {
    table: "template_drafts",
    used: "templateDrafts",
    message: "1,000 drafts of templates",
    input: () => ({
      slug: crypto.randomUUID(),
      name: "A",
      subject: "A",
      bodyHtml: "A",
      bodyText: null,
      variablesSchema: { variables: [] },
    }),
  },
  "domains.create": {
    table: "domains",
    used: "domains",
    message: "1,000 domains",
    input: () => ({ name: `${crypto.randomUUID()}.example` }),
  },
}

/** Why other calls that make something need no limit here. */
const BOUNDED_OTHERWISE: Record<string, string> = {
  "emails.send": "records are purged after their retention",
  "emails.sendRaw": "records are purged after their retention",
  "emails.batch": "records are purged after their retention",
  "apiKeys.create": "100 live keys",
  "webhooks.create": "50 webhooks",
  "topics.create": "50 topics",
  "sequences.create": "100 sequences",
  "suppressions.add": "a row of an address",
  "contacts.create": "a row of an address, the product itself",
  "suppressions.restore": "a row of an address",
  "images.create": "tested with the images",
  "views.create": "50 views",
  "passkeys.create": "20 passkeys of a person",
  "invitations.create": "an invitation of an address, for a week",
  "teams.create": "a small row",
  "inboxes.create": "1,000 inboxes",
  "receivedEmails.create": "1,000 a minute, and deleted after the days of their inbox",
  "threads.reply": "records are purged after their retention",
}

const creating = [...endpoints, ...dashboardEndpoints].filter(
  ({ method, status }) => method === "POST" && status === 201,
)

it("every call that makes something has a limit, or a reason why it needs none", () => {
  const known = [...Object.keys(LIMITED), ...Object.keys(BOUNDED_OTHERWISE)]
  expect(creating.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([])
})

/** Repeats a row of the team until the team has the limit. */
async function fill({ id }: Team, table: string, limit: number): Promise<void> {
  const { results } = await env.DB.prepare(`select name from pragma_table_info('${table}')`).all<{
    name: string
  }>()
  const columns = results.map(({ name }) => name)
  const values = columns.map((name) =>
    ["id", "template_id", "slug", "name"].includes(name) ? `r.${name} || value` : `r.${name}`,
  )
  await env.DB.prepare(
    `insert into ${table} (${columns.join()}) select ${values.join()}
     from (select * from ${table} where team_id = ?1 limit 1) r,
       json_each(?2) limit ?3 - (select count(*) from ${table} where team_id = ?1)`,
  )
    .bind(id, JSON.stringify(Array.from({ length: limit }, (_, at) => at)), limit)
    .run()
}

describe.each(Object.entries(LIMITED))("%s", (name, { table, used, limit, message, input }) => {
  it("is refused above the limit of its team, and the settings show how much is used", async () => {
    const team = await makeTeam()
    const { path } = creating.find((one) => one.name === name) ?? { path: "" }
    const cookie = await sessionOf(team.id, "owner")
    const ask = (method: string, path: string, json?: object) =>
      request(method, `/dashboard/api${path}`, json, { cookie })
    const made = await ask("POST", path, await input(team))
    expect([made.status, made.body.error]).toEqual([201, undefined])
    await fill(team, table, limit ?? MAX_ROWS_OF_TEAM)
    const refused = await ask("POST", path, await input(team))
    expect([refused.status, refused.body.error]).toEqual([
      409,
      { code: "conflict", message: `A team has at most ${message}.` },
    ])
    const usage = await ask("GET", "/team/usage")
    expect(usage.body.data).toContainEqual({
      of: used,
      used: limit ?? MAX_ROWS_OF_TEAM,
      limit: limit ?? MAX_ROWS_OF_TEAM,
    })
  })
})
