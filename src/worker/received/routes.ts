import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import * as inboxContract from "./inboxes/inboxes-contract.ts"
import * as threadContract from "./threads/threads-contract.ts"

/** Sending needs none of it: the first call loads it. */
export function receivedRoutes(app: Hono<HttpEnv>): void {
  inboxRoutes(app)
  threadRoutes(app)
  route(app, contract.takeReceivedEmail, async (ctx, input, request) =>
    (await import("./taking/hand-in.ts")).handIn(ctx, input, request),
  )
  route(app, contract.listReceivedEmails, async (ctx, { query }) =>
    (await import("./list.ts")).listReceivedEmails(ctx, query),
  )
  route(app, contract.getReceivedEmail, async (ctx, { params }) =>
    (await import("./get.ts")).getReceivedEmail(ctx, params.id),
  )
  route(app, contract.getReceivedRaw, async (ctx, { params }) =>
    (await import("./get.ts")).getReceivedRaw(ctx, params.id),
  )
  route(app, contract.getReceivedAttachment, async (ctx, { params }) =>
    (await import("./attachment.ts")).getReceivedAttachment(ctx, params.id, params.attachmentId),
  )
  route(app, contract.updateReceivedEmail, async (ctx, { params, json }) =>
    (await import("./get.ts")).updateReceivedEmail(ctx, params.id, json),
  )
  route(app, contract.deleteReceivedEmail, async (ctx, { params }) =>
    (await import("./get.ts")).deleteReceivedEmail(ctx, params.id),
  )
}

function inboxRoutes(app: Hono<HttpEnv>): void {
  route(app, inboxContract.createInbox, async (ctx, { json }) =>
    (await import("./inboxes/inboxes.ts")).createInbox(ctx, json),
  )
  route(app, inboxContract.listInboxes, async (ctx, { query }) =>
    (await import("./inboxes/inboxes.ts")).listInboxes(ctx, query),
  )
  route(app, inboxContract.getInbox, async (ctx, { params }) =>
    (await import("./inboxes/inboxes.ts")).getInbox(ctx, params.id),
  )
  route(app, inboxContract.updateInbox, async (ctx, { params, json }) =>
    (await import("./inboxes/inboxes.ts")).updateInbox(ctx, params.id, json),
  )
  route(app, inboxContract.deleteInbox, async (ctx, { params }) =>
    (await import("./inboxes/inboxes.ts")).deleteInbox(ctx, params.id),
  )
}

function threadRoutes(app: Hono<HttpEnv>): void {
  route(app, threadContract.listThreads, async (ctx, { query }) =>
    (await import("./threads/threads.ts")).listThreads(ctx, query),
  )
  route(app, threadContract.getThread, async (ctx, { params }) =>
    (await import("./threads/threads.ts")).readThread(ctx, params.id),
  )
  route(app, threadContract.updateThread, async (ctx, { params, json }) =>
    (await import("./threads/threads.ts")).updateThread(ctx, params.id, json),
  )
  route(app, threadContract.listThreadMessages, async (ctx, { params, query }) =>
    (await import("./threads/threads.ts")).listThreadMessages(ctx, params.id, query),
  )
  route(app, threadContract.replyInThread, async (ctx, { params, json }) =>
    (await import("./threads/reply.ts")).replyInThread(ctx, params.id, json),
  )
}
