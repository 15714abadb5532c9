import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import * as dashboard from "./dashboard-contract.ts"
import * as deliveries from "./deliveries/contract.ts"
import { getDelivery, getDeliveryRequest } from "./deliveries/deliveries.ts"
import { listEmailDeliveries } from "./deliveries/email-deliveries.ts"
import { listDeliveries, readDeliveries } from "./deliveries/list-deliveries.ts"
import { replayDelivery, replayFailed } from "./deliveries/replay.ts"
import { backfillWebhook } from "./events/backfill.ts"
import { findPosition, listEvents } from "./events/feed.ts"
import { readHealth } from "./health.ts"
import { sendSampleEvent, testWebhook } from "./test-call.ts"
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from "./webhooks.ts"

export function webhookRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createWebhook, (ctx, { json }) => createWebhook(ctx, json))
  route(app, contract.listWebhooks, (ctx, { query }) => listWebhooks(ctx, query))
  route(app, contract.getWebhook, (ctx, { params }) => getWebhook(ctx, params.id))
  route(app, contract.updateWebhook, (ctx, { params, json }) => updateWebhook(ctx, params.id, json))
  route(app, contract.deleteWebhook, (ctx, { params }) => deleteWebhook(ctx, params.id))
  route(app, contract.testWebhook, (ctx, { params }) => testWebhook(ctx, params.id))
  route(app, contract.backfillWebhook, (ctx, { params, json }) =>
    backfillWebhook(ctx, params.id, json.after),
  )
  route(app, deliveries.listDeliveries, (ctx, { params, query }) =>
    listDeliveries(ctx, params.id, query),
  )
  route(app, deliveries.getDelivery, (ctx, { params }) => getDelivery(ctx, params.id))
  route(app, deliveries.replayDelivery, (ctx, { params }) => replayDelivery(ctx, params.id))
  route(app, contract.listEvents, (ctx, { query }) => listEvents(ctx, query))
  route(app, contract.findPosition, (ctx, { query }) => findPosition(ctx, query.at))
}

/** For the dashboard only. */
export function deliveryRoutes(app: Hono<HttpEnv>): void {
  route(app, dashboard.listEmailDeliveries, (ctx, { params }) =>
    listEmailDeliveries(ctx, params.id),
  )
  route(app, dashboard.getDeliveryRequest, (ctx, { params }) => getDeliveryRequest(ctx, params.id))
  route(app, dashboard.readDeliveries, (ctx, { params, query }) =>
    readDeliveries(ctx, params.id, query.ids),
  )
  route(app, dashboard.replayFailed, (ctx, { params, json }) => replayFailed(ctx, params.id, json))
  route(app, dashboard.sendSampleEvent, (ctx, { params, json }) =>
    sendSampleEvent(ctx, params.id, json.type),
  )
  route(app, dashboard.readHealth, readHealth)
  route(app, dashboard.rotateSecret, (ctx, { params, json }) => rotateSecret(ctx, params.id, json))
}
