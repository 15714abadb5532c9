import type { Hono } from "hono"
import { formatMailbox } from "../../lib/address.ts"
import { sendEvents as events } from "../contact-events/contract.ts"
import { sendEvents } from "../contact-events/send.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import * as contract from "../received/contract.ts"
import { getReceivedEmail } from "../received/get.ts"
import { listReceivedEmails } from "../received/list.ts"
import type { Wire } from "../webhooks/resend-records.ts"
import { listQuery, toList, toPageQuery } from "./lists.ts"
import { members, serve, shown, toJson } from "./route.ts"

const { listReceivedEmails: list, getReceivedEmail: get } = contract

/** Add these routes before those of emails: otherwise `receiving` is the id of an email. */
export function receivingRoutes(app: Hono<HttpEnv>): void {
  serve(app, "GET /emails/receiving", list, { query: listQuery }, async (ctx, { query }) => {
    const page = await listReceivedEmails(ctx, { ...toPageQuery(query), wait: 0 })
    return toList(shown(list, page), toRecord)
  })
  serve(app, "GET /emails/receiving/:id", get, {}, async (ctx, { params }) => {
    const email = shown(get, await getReceivedEmail(ctx, params.id!))
    const { text, html, headers } = email
    return {
      object: "email",
      ...toRecord(email),
      ...{ html, text, raw: null },
      headers: Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value])),
    }
  })
  const body = members("event", "email", "contact_id", "payload")
  serve(app, "POST /events/send", events, { body }, async (ctx, { body }) => {
    const { event: name, email, contact_id: contactId, payload: properties } = body
    await sendEvents(ctx, toJson(events, { name, email, contactId, properties }))
    return { object: "event", event: name }
  })
}

const toRecord = (email: Wire<typeof contract.received>) => ({
  id: email.id,
  message_id: email.messageId ?? "",
  from: toText(email.from),
  to: email.to.map(toText),
  cc: email.cc.map(toText),
  bcc: [],
  reply_to: email.replyTo.map(toText),
  received_for: [email.envelope.to],
  subject: email.subject,
  created_at: email.createdAt,
  attachments: email.attachments.map(({ id, filename, size, contentType, contentId }) => ({
    ...{ id, filename, size },
    content_type: contentType,
    content_id: contentId,
    content_disposition: contentId ? "inline" : "attachment",
  })),
})

const toText = ({ email, name }: Wire<typeof contract.namedAddress>) =>
  formatMailbox({ address: email, name: name ?? "" })
