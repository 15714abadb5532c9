import { env } from "cloudflare:workers"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Work } from "../../../src/worker/platform/context.ts"
import { withDeferred } from "../../../src/worker/platform/db/commit.ts"
import { probeWebhooks } from "../../../src/worker/webhooks/deliveries/probe.ts"
import type { WebhookRef } from "../../../src/worker/webhooks/messages.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { testWork } from "../../support/work.ts"
import { dispatch, domainEvent, happen, setUp, subscribe, subscribeNew } from "./carrying.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})
afterAll(() => internet.restore())

const probe = (work: Work, refs: readonly WebhookRef[]) =>
  withDeferred(work, (work) => probeWebhooks(work, refs))

it.each([
  { consumer: "an open webhook", make: subscribe, run: dispatch },
  { consumer: "a held webhook", make: subscribeNew, run: probe },
])("no attempt for $consumer starts when its lease ends soon", async ({ make, run }) => {
  const { team, clock, work } = await setUp()
  const receiver = internet.receiver()
  const { id } = await make(team, receiver.url)
  await happen(work, domainEvent(work, team))
  const refs = [{ teamId: team.id, webhookId: id }]
  const slow = interruptedDb(/update "deliveries"/, async () => clock.advance(40_000))
  await run(testWork({ clock, settings: { ...work.env, DB: slow } }).work, refs)
  expect(receiver.received()).toHaveLength(0)

  await run(work, refs)
  expect(receiver.received()).toHaveLength(1)
  const row = await env.DB.prepare("select * from deliveries where webhook_id = ?").bind(id).first()
  expect(row).toMatchObject({ state: "succeeded", due_at: null })
  expect(JSON.parse(String(row?.attempts))).toHaveLength(1)
})
