import { env } from "cloudflare:workers"
import { newId } from "../../../src/lib/id.ts"
import { consume, type QueueMessage } from "../../../src/worker/consume.ts"
import { runCron } from "../../../src/worker/cron.ts"
import type { EmailRef } from "../../../src/worker/emails/messages.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { moveContents } from "../../../src/worker/emails/packs/move.ts"
import { clickUrl, openUrl } from "../../../src/worker/emails/tracking/links.ts"
import worker from "../../../src/worker/index.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { createWork } from "../../../src/worker/platform/work.ts"
import { BASE_URL } from "../../support/api.ts"
import { SNS, signSns } from "../../support/fake-sns.ts"
import { type Run, settled } from "../../support/own-cost.ts"
import { sessionOf } from "../../support/session.ts"
import { publishChanges } from "../../support/stream.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"
import { domainEvent, happen, setUp, subscribe } from "../../worker/webhooks/carrying.ts"
import { campaignRun } from "./campaign.ts"
import type { Operation } from "./measure.ts"
import { captured } from "./waiting.ts"

const HOUR_MS = 3_600_000
const PACK = 1_000

/** 3.4 KB, as mail with a few paragraphs has. */
const HTML = `<html><body>${Array.from(
  { length: 12 },
  (_, index) => `<p>Paragraph ${index}: ${"your order has been sent. ".repeat(10)}</p>`,
).join("")}</body></html>`

const message = ({ domain }: Team, change: object = {}) => ({
  from: `Shop <shop@${domain}>`,
  to: "somebody@example.com",
  subject: "Your order",
  html: HTML,
  ...change,
})

const sesEvent = (eventType: string, { teamId, emailId }: EmailRef) => {
  const timestamp = new Date().toISOString()
  const mail = { timestamp, messageId: "1", tags: { email_id: [emailId], team_id: [teamId] } }
  const delivery = { timestamp, recipients: ["somebody@example.com"] }
  return signSns(SNS, { Message: JSON.stringify({ eventType, mail, delivery }) })
}

const call =
  (method: string, path: string, headers: Record<string, string>, body?: unknown): Run =>
  async (env, execution) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const request = new Request(new URL(path, BASE_URL), {
      ...{ method, redirect: "manual" },
      headers: { ...headers, ...(text && { "content-length": String(text.length) }) },
      ...(text && { body: text }),
    })
    const reply = await worker.fetch(request, env, execution)
    const bytes = await reply.arrayBuffer()
    if (reply.status >= 400)
      throw new Error(`${method} ${path}: ${new TextDecoder().decode(bytes)}`)
  }

const take =
  (queue: string, bodies: readonly QueueMessage[]): Run =>
  (env, execution) =>
    consume(createWork(env, execution), {
      queue: `edgepost-${queue}`,
      messages: bodies.map((body) => ({ body, attempts: 1, retry: () => {}, ack: () => {} })),
    } as unknown as MessageBatch<QueueMessage>)

const hint = ({ id }: Team): QueueMessage => ({ kind: "sends", teams: [id], dueAt: Date.now() })

/** The first message sends some, and each message of the backlog sends more. */
function sendAll(team: Team): Pick<Operation, "run" | "requests"> {
  let requests = 0
  const run: Run = async (bindings, execution) => {
    requests = 1
    const backlog: QueueMessage[] = []
    const own = { ...bindings, ...captured(bindings, new Map([["SENDS_BACKLOG", backlog]])) }
    await take("sends", [hint(team)])(own, execution)
    for (let next = backlog.shift(); next; next = backlog.shift(), requests++) {
      await take("sends-backlog", [next])(own, execution)
    }
  }
  return { run, requests: () => requests }
}

const events = (type: Parameters<typeof reportOf>[1], refs: readonly EmailRef[]) =>
  refs.map(
    (ref): QueueMessage => ({
      kind: "outcomes",
      events: [reportOf(ref, type, Date.now())],
    }),
  )

/** A team whose keys were used in the last minute: noting that is off the path. */
async function warmTeam(): Promise<Team> {
  const team = await makeTeam()
  const used = env.DB.prepare("update api_keys set last_used_at = ? where team_id = ?")
  await used.bind(Date.now() + HOUR_MS, team.id).run()
  return team
}

/** Accepted emails that no queue carries. */
async function acceptSome(team: Team, count: number, bindings: Env): Promise<EmailRef[]> {
  const run = call(
    "POST",
    "/api/v1/emails/batch",
    { authorization: `Bearer ${team.api.key}` },
    Array.from({ length: count }, () => message(team)),
  )
  await settled(run, bindings)
  const { results } = await env.DB.prepare(
    "select id from emails where team_id = ? and status = 'queued'",
  )
    .bind(team.id)
    .all<{ id: string }>()
  return results.map(({ id }) => ({ teamId: team.id, emailId: id }))
}

/** Makes what the team has accepted delivered mail, which nobody sends. */
const settle = ({ id }: Team) =>
  env.DB.prepare(
    "update emails set status = 'delivered', due_at = null, sent_at = ?2 where team_id = ?1",
  )
    .bind(id, Date.now())
    .run()

/** In an order in which each finds what it needs. */
export async function* operations(quiet: Env): AsyncGenerator<Operation> {
  yield {
    name: "a minute with nothing to do",
    run: (env, execution) => runCron(createWork(env, execution)),
  }
  yield { name: "a campaign to a thousand", ...(await campaignRun(await warmTeam(), 1_000)) }
  yield* packed(quiet)
  const team = await warmTeam()
  const key = { authorization: `Bearer ${team.api.key}` }
  const api = (name: string, method: string, path: string, body?: unknown): Operation => ({
    name,
    run: call(method, `/api/v1${path}`, key, body),
  })
  const hundred = Array.from({ length: 100 }, () => message(team))
  await team.api.post("/templates", {
    ...{ slug: "order", name: "Order", subject: "Your order {{ number }}", bodyHtml: HTML },
    variablesSchema: { variables: [{ name: "number" }] },
  })
  const { html: _, subject: __, ...addressed } = message(team)
  const templated = { ...addressed, template: "order", variables: { number: "7" } }

  yield api("accept an email", "POST", "/emails", message(team))
  const tags = { kind: "order", shop: "one" }
  yield api("accept an email with two tags", "POST", "/emails", message(team, { tags }))
  yield api("accept an email with a template", "POST", "/emails", templated)
  yield api("accept a hundred", "POST", "/emails/batch", hundred)
  yield api("list 25 emails", "GET", "/emails")
  const { body: listed } = await team.api.get("/emails?limit=1")
  yield api("read an email", "GET", `/emails/${listed.data[0].id}`)
  await settle(team)

  const sender = await warmTeam()
  const refs = await acceptSome(sender, 100, quiet)
  yield { name: "send a hundred", ...sendAll(sender) }
  yield { name: "record a hundred that were sent", run: take("outcomes", events("sent", refs)) }
  yield { name: "record a hundred deliveries", run: take("outcomes", events("delivered", refs)) }
  const lone = await warmTeam()
  const [one] = (await acceptSome(lone, 1, quiet)) as [EmailRef]
  yield { name: "send one", run: take("sends", [hint(lone)]) }
  yield { name: "record one that was sent", run: take("outcomes", events("sent", [one])) }
  yield { name: "record one delivery", run: take("outcomes", events("delivered", [one])) }
  yield {
    name: "take a report of Amazon SES",
    run: call("POST", "/providers/ses/events", {}, sesEvent("Delivery", one)),
  }

  const { settings } = testWork().work
  const open = openUrl(settings, one)
  const click = clickUrl(settings, one, "https://shop.example/orders")
  yield { name: "an open", run: call("GET", open, { "user-agent": "Mail" }) }
  yield { name: "record an open", run: take("outcomes", events("opened", [one])) }
  yield { name: "a click", run: call("GET", click, { "user-agent": "Web" }) }
  yield { name: "record a click", run: take("outcomes", events("clicked", [one])) }

  const { team: subscriber, work, sent } = await setUp()
  await subscribe(subscriber, "https://receiver.example.com/hook")
  await happen(work, domainEvent(work, subscriber))
  yield {
    name: "a webhook attempt",
    run: take(
      "deliveries",
      sent.map(({ message }) => message),
    ),
  }
  yield {
    name: "tell a change to the stream",
    run: (env, execution) =>
      publishChanges(createWork(env, execution), [
        { teamId: team.id, type: "email", id: newId("email") },
      ]),
  }
}

async function* packed(quiet: Env): AsyncGenerator<Operation> {
  const team = await warmTeam()
  for (let count = 0; count < PACK; count += 100) await acceptSome(team, 100, quiet)
  await settle(team)
  const now = () => Date.now() + 3 * HOUR_MS
  yield {
    name: "move a thousand contents to a pack",
    run: (env, execution) => moveContents({ ...createWork(env, execution), now }),
  }
  const row = await env.DB.prepare("select id from emails where team_id = ? limit 1")
    .bind(team.id)
    .first<{ id: string }>()
  const cookie = await sessionOf(team.id, "member")
  yield {
    name: "read a content in a pack",
    run: call("GET", `/dashboard/api/emails/${row?.id}/content`, { cookie }),
  }
}
