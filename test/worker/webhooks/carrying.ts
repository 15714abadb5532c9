import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { Hono } from "hono"
import { expect } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { bearerKey } from "../../../src/worker/access/key-guard.ts"
import type { Work } from "../../../src/worker/platform/context.ts"
import { commit, withDeferred } from "../../../src/worker/platform/db/commit.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { onError } from "../../../src/worker/platform/http/errors.ts"
import { everyResponse } from "../../../src/worker/platform/http/every-response.ts"
import type { HttpEnv } from "../../../src/worker/platform/http/route.ts"
import { dispatchDeliveries } from "../../../src/worker/webhooks/deliveries/dispatch.ts"
import { storeEvents, type TeamEvent } from "../../../src/worker/webhooks/events/store.ts"
import type { WebhookRef } from "../../../src/worker/webhooks/messages.ts"
import { deliveryRoutes, webhookRoutes } from "../../../src/worker/webhooks/routes.ts"
import type { Received } from "../../support/internet.ts"
import { fakeQueue } from "../../support/queue.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"
import { isGenuine } from "./is-genuine.ts"

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A team whose deliveries go nowhere unless the test carries them. */
export async function setUp(settings: Partial<Env> = {}) {
  const team = await makeTeam()
  const clock = makeClock()
  const { queue, sent } = fakeQueue()
  const { work } = testWork({ clock, settings: { DELIVERIES: queue, ...settings } })
  /** Its messages to the queue of deliveries: the webhooks, and after how many seconds they come. */
  const hints = () =>
    sent
      .splice(0)
      .flatMap(({ message, delaySeconds }) =>
        message.kind === "deliveries" ? message.webhooks.map((ref) => ({ ref, delaySeconds })) : [],
      )
  /** What they lead to. */
  const carried = async () => {
    const found = await Promise.all(
      hints().map(async ({ ref, delaySeconds }) =>
        (await dueAt(ref, work.now() + delaySeconds * 1_000)).map((ref) => ({ ref, delaySeconds })),
      ),
    )
    return found.flat()
  }
  return { team, clock, work, carried, hints, sent, dashboard: openDashboard(team) }
}

export interface DeliveryRef extends WebhookRef {
  id: string
}

async function dueAt({ webhookId }: WebhookRef, time: number): Promise<DeliveryRef[]> {
  const { results } = await env.DB.prepare(
    `select team_id as teamId, webhook_id as webhookId, id from deliveries
     where webhook_id = ? and state = 'pending' and not_before <= ? order by due_at, id`,
  )
    .bind(webhookId, time)
    .all<DeliveryRef>()
  return results
}

/** The calls about webhooks, also those that only the dashboard has, under a key in place of its session. */
export function openDashboard(team: Team) {
  const app = new Hono<HttpEnv>()
  app.use(everyResponse)
  app.use(bearerKey)
  webhookRoutes(app)
  deliveryRoutes(app)
  app.onError(onError)
  return async (method: string, path: string, input?: unknown) => {
    const headers = { authorization: `Bearer ${team.api.key}` }
    const request = { method, headers, ...(input !== undefined && { body: JSON.stringify(input) }) }
    const reply = await app.request(path, request, env, createExecutionContext())
    // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as any }
  }
}

/** A webhook whose receiver has answered before. */
export async function subscribe(team: Team, url: string, events?: string[]) {
  const webhook = await subscribeNew(team, url, events)
  await endRest(webhook.id)
  return webhook
}

export const endRest = (id: string) =>
  env.DB.prepare(
    "update webhooks set probe_at = null, deliver_until = position + 10000 where id = ?",
  )
    .bind(id)
    .run()

export async function subscribeNew(team: Team, url: string, events = ["domain.verified"]) {
  const { status, body } = await team.api.post("/webhooks", { url, events })
  expect(status).toBe(201)
  return body as { id: string; secret: string }
}

export const domainEvent = (
  work: Work,
  { id }: Team,
  changed: Partial<TeamEvent> = {},
): TeamEvent => ({
  id: newId("event", work.now()),
  teamId: id,
  type: "domain.verified",
  createdAt: work.now(),
  data: { domain: { name: "example.com" } },
  ...changed,
})

export async function happen(work: Work, ...events: TeamEvent[]) {
  await withDeferred(work, (work) => commit(work, { events: storeEvents(work, events) }))
}

/** Also waits for what goes on after the queue's handler. */
export async function dispatch(work: Work, refs: readonly WebhookRef[]) {
  await withDeferred(work, (work) => dispatchDeliveries(work, refs))
}

export async function rowOf({ webhookId, id }: DeliveryRef) {
  const row = await env.DB.prepare("select * from deliveries where webhook_id = ? and id = ?")
    .bind(webhookId, id)
    .first<{ state: string; attempts: string; not_before: number; due_at: number | null }>()
  return row && { ...row, attempts: JSON.parse(row.attempts) as Record<string, unknown>[] }
}

export const isSignedBy = (secret: string, { body, headers }: Received, work: Work) =>
  isGenuine({ body, headers }, secret, { now: work.now() })

export function never(): never {
  throw new Error("Expected one more")
}
