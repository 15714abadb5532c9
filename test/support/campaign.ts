import { env } from "cloudflare:workers"
import { gzip } from "../../src/lib/gzip.ts"
import { newId } from "../../src/lib/id.ts"
import { SIMULATOR_HOST } from "../../src/worker/providers/sandbox/mailboxes.ts"
import { createDriver } from "./driver.ts"
import { makeTeam, type Team } from "./team.ts"

/** A book with a contact of each address, oldest first. */
export async function makeBook({ api, id }: Team, addresses: readonly string[]): Promise<string> {
  const { body } = await api.post("/contact-books", { name: "Readers" })
  const rows = addresses.map((email) => ({ id: newId("contact"), email }))
  await env.DB.batch([
    env.DB.prepare(
      `insert into contacts (team_id, book_id, id, email, first_name, properties, subscribed, created_at, updated_at)
       select ?1, ?2, value ->> 'id', value ->> 'email', 'Ada', '{"city":"London"}', 1, 0, 0
       from json_each(?3)`,
    ).bind(id, body.id, JSON.stringify(rows)),
    env.DB.prepare(
      "update contact_books set contact_count = ?3, subscribed_count = ?3 where team_id = ?1 and id = ?2",
    ).bind(id, body.id, rows.length),
  ])
  return body.id
}

export const campaignInput = ({ domain, domainId }: Team, bookId: string) => ({
  name: "News",
  bookId,
  domainId,
  from: `News <news@${domain}>`,
  subject: "Hello {{ firstName }}",
  blocks: [{ kind: "text", html: "Hi {{ firstName }} of {{ properties.city }}" }],
})

export async function makeCampaign(
  team: Team,
  addresses: readonly string[] = ["reader@example.com"],
  change: object = {},
): Promise<string> {
  const bookId = await makeBook(team, addresses)
  const { body } = await team.api.post("/campaigns", { ...campaignInput(team, bookId), ...change })
  return body.id
}

/** As the brake does it. */
export async function pause({ id }: Team, campaignId: string): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("update campaigns set status = 'sending' where team_id = ? and id = ?").bind(
      id,
      campaignId,
    ),
    env.DB.prepare(
      "update campaign_runs set paused_reason = 'bounce', wave = 1 where team_id = ? and campaign_id = ?",
    ).bind(id, campaignId),
  ])
}

/** Makes an email one of a new campaign's. */
export async function putIntoCampaign(team: Team, emailId: string): Promise<void> {
  const campaignId = await makeCampaign(team)
  const body = gzip(JSON.stringify({ html: "<p>Hi</p>", text: "Hi" })).toString("base64")
  await env.DB.batch([
    env.DB.prepare(
      "insert into campaign_bodies (team_id, campaign_id, body) values (?, ?, ?)",
    ).bind(team.id, campaignId, body),
    env.DB.prepare(
      `update emails set campaign_id = k.id, contact_id = c.id
       from campaigns k join contacts c on c.team_id = k.team_id and c.book_id = k.book_id
       where k.id = ?1 and emails.id = ?2`,
    ).bind(campaignId, emailId),
  ])
}

export const readers = (count: number, mailbox = "success") =>
  Array.from({ length: count }, (_, index) => `${mailbox}+${index}@${SIMULATOR_HOST}`)

/** Without the queues of the Worker: the test's driver has its own. */
export async function start(team: Team, id: string) {
  await env.DB.batch([
    env.DB.prepare("update campaigns set status = 'scheduled', scheduled_at = 1 where id = ?").bind(
      id,
    ),
    env.DB.prepare("update campaign_runs set due_at = 1 where campaign_id = ?").bind(id),
  ])
  return { teamId: team.id, campaignId: id }
}

/** A campaign whose emails are all queued. A consumer of the Worker that still runs may take them, too. */
export async function fanOut(addresses: readonly string[]) {
  const team = await makeTeam()
  const id = await makeCampaign(team, addresses)
  const driver = createDriver()
  const ref = await start(team, id)
  await driver.pass()
  await driver.drain(["CAMPAIGNS"])
  return { team, id, driver, ref }
}
