import { env } from "cloudflare:workers"
import type { Side } from "./world.ts"

/** Stands in every text of the other team. */
export const MARK = "MARKOFTHEOTHERTEAM"

/** Texts that a person chooses. The others are ids, states, addresses of hosts or JSON. */
const FREE =
  /^(name|.*_name|subject|note|body_html|body_text|preheader|postal_address|summary|label|description)$/

/** Fills the team, then puts the mark into each text of its rows, and into mail and people by calls. */
export async function markTeam({ team, owner }: Side, fill: () => Promise<void>): Promise<void> {
  await fill()
  const mailbox = `${MARK.toLowerCase()}@example.com`
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const email = { from: `${MARK} <a@${team.domain}>`, to: mailbox, subject: MARK, html: MARK }
  const { api } = team
  await api.post("/emails", { ...email, text: MARK, tags: { mark: MARK }, scheduledAt: later })
  await api.post("/emails", { ...email, text: MARK, tags: { mark: MARK } })
  const { body: book } = await api.post("/contact-books", { name: MARK })
  const contact = { email: mailbox, firstName: MARK, lastName: MARK, properties: { mark: MARK } }
  await api.post(`/contact-books/${book.id}/contacts`, contact)
  await api.post("/suppressions", { email: mailbox, note: MARK })
  await api.post("/webhooks", {
    url: `https://${mailbox.replace("@", ".")}/`,
    events: ["email.sent"],
  })
  await owner.post("/invitations", { email: mailbox, role: "member" })
  for (const { table, column } of await freeColumns()) {
    await env.DB.prepare(
      `update or ignore "${table}" set "${column}" = '${MARK} ' || "${column}" where team_id = ? and "${column}" is not null`,
    )
      .bind(team.id)
      .run()
  }
}

/** The free texts of all tables of a team. D1 refuses to describe its own tables. */
async function freeColumns() {
  const { results: tables } = await env.DB.prepare(
    `select name from sqlite_master where type = 'table' and sql like '%team\\_id%' escape '\\'
      and name not like '\\_cf\\_%' escape '\\'`,
  ).all<{ name: string }>()
  const described = await env.DB.batch<{ name: string; type: string }>(
    tables.map(({ name }) => env.DB.prepare(`pragma table_info("${name}")`)),
  )
  return described.flatMap(({ results }, index) =>
    results
      .filter(({ name, type }) => type.toLowerCase() === "text" && FREE.test(name))
      .map(({ name }) => ({ table: tables[index]?.name, column: name })),
  )
}
