import type { Hono } from "hono"
import * as z from "zod"
import { invalid } from "../platform/http/errors.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import * as contract from "../webhooks/contract.ts"
import { EVENT_TYPES, type EventType } from "../webhooks/events/types.ts"
import { RESEND_TYPES } from "../webhooks/resend-event.ts"
import type { Wire } from "../webhooks/resend-records.ts"
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  updateWebhook,
} from "../webhooks/webhooks.ts"
import { unsupported } from "./errors.ts"
import { listQuery, toList, toPageQuery } from "./lists.ts"
import { members, serve, serveRemoval, shown, toJson } from "./route.ts"

const MANY = 100

const webhookMembers = members("endpoint").extend({
  events: z.array(z.string()).max(MANY).optional(),
  status: z.enum(["enabled", "disabled"]).optional(),
})

export function webhookRoutes(app: Hono<HttpEnv>): void {
  const { createWebhook: create, listWebhooks: list, getWebhook: get } = contract
  const { updateWebhook: update, deleteWebhook: remove } = contract
  serve(app, "POST /webhooks", create, { body: webhookMembers }, async (ctx, { body }) => {
    const input = toJson(create, { ...toInput(body), format: "resend" })
    const { id, secret } = await createWebhook(ctx, input)
    return { object: "webhook", id, signing_secret: secret }
  })
  serve(app, "GET /webhooks", list, { query: listQuery }, async (ctx, { query }) =>
    toList(shown(list, await listWebhooks(ctx, toPageQuery(query))), toWebhook),
  )
  // Only the reply to POST has the secret. The database has it encrypted.
  serve(app, "GET /webhooks/:id", get, {}, async (ctx, { params }) => ({
    object: "webhook",
    ...toWebhook(shown(get, await getWebhook(ctx, params.id!))),
    signing_secret: null,
  }))
  serve(app, "PATCH /webhooks/:id", update, { body: webhookMembers }, async (ctx, asked) => {
    const { status } = asked.body
    const enabled = status === undefined ? undefined : status === "enabled"
    const changes = toJson(update, { ...toInput(asked.body), enabled })
    const { id } = await updateWebhook(ctx, asked.params.id!, changes)
    return { object: "webhook", id }
  })
  serveRemoval(app, "/webhooks/:id", remove, "webhook", deleteWebhook)
}

const toInput = ({ endpoint, events }: z.output<typeof webhookMembers>) => ({
  url: endpoint,
  events: events?.flatMap(toOurTypes),
})

/** A type of Resend may stand for several of ours. */
function toOurTypes(theirs: string): EventType[] {
  const types = EVENT_TYPES.filter((type) => RESEND_TYPES[type] === theirs)
  if (types.length > 0) return types
  if (!/^[a-z]+(\.[a-z_]+)+$/.test(theirs)) throw invalid(["events"], "Must be types of events")
  throw unsupported("events", `Edgepost has no event ${theirs}.`)
}

const toWebhook = (webhook: Wire<typeof contract.webhook>) => ({
  id: webhook.id,
  endpoint: webhook.url,
  created_at: webhook.createdAt,
  status: webhook.enabled ? "enabled" : "disabled",
  events: [...new Set(webhook.events.map((type) => RESEND_TYPES[type]))],
})
