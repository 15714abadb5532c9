import type { Hono } from "hono"
import type * as z from "zod"
import { formatMailbox } from "../../../lib/address.ts"
import { eventName, sendEvents as events } from "../../contact-events/contract.ts"
import { sendEvents } from "../../contact-events/send.ts"
import { properties } from "../../contacts/shapes.ts"
import type { Ctx } from "../../platform/context.ts"
import { orNotFound } from "../../platform/http/errors.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { createWork } from "../../platform/work.ts"
import { RESEND_PREFIX } from "../../prefixes.ts"
import * as contract from "../../received/contract.ts"
import { createFileTokens, openFile } from "../../received/file-links.ts"
import { getReceivedEmail } from "../../received/get.ts"
import { listReceivedEmails } from "../../received/list.ts"
import type { Wire } from "../../webhooks/resend-records.ts"
import { listQuery, toList, toPageQuery } from "../lists.ts"
import { members, serve, shown, toJson } from "../route.ts"

const { listReceivedEmails: list, getReceivedEmail: get } = contract

/** Where the links to files lead. */
const FILES = "/files"

/** Add these routes before those of emails: otherwise `receiving` is the id of an email. */
export function receivingRoutes(app: Hono<HttpEnv>): void {
  serve(app, "GET /emails/receiving", list, { query: listQuery }, async (ctx, { query }) => {
    const page = await listReceivedEmails(ctx, { ...toPageQuery(query), wait: 0 })
    return toList(shown(list, page), toRecord)
  })
  serve(app, "GET /emails/receiving/:id", get, {}, async (ctx, { params }) => {
    const email = shown(get, await getReceivedEmail(ctx, params.id!))
    const { text, html, headers } = email
    const linkTo = await createLinks(ctx)
    return {
      object: "email",
      ...toRecord(email),
      html,
      text,
      raw: linkTo(email.id, null),
      headers: Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value])),
    }
  })
  const files = "/emails/receiving/:id/attachments"
  serve(app, `GET ${files}`, get, { query: listQuery }, async (ctx, { params, query }) => {
    const { id, attachments } = toRecord(shown(get, await getReceivedEmail(ctx, params.id!)))
    const linkTo = await createLinks(ctx)
    return toList(pageOfFiles(attachments, query), (file) => toFile(file, linkTo(id, file.id)))
  })
  serve(app, `GET ${files}/:fileId`, get, {}, async (ctx, { params }) => {
    const { id, attachments } = toRecord(shown(get, await getReceivedEmail(ctx, params.id!)))
    const file = orNotFound(
      attachments.find(({ id }) => id === params.fileId),
      "File",
    )
    const linkTo = await createLinks(ctx)
    return { object: "attachment", ...toFile(file, linkTo(id, file.id)) }
  })
  // Resend's links to files need no key either.
  app.get(`${FILES}/:token`, (c) =>
    openFile(createWork(c.env, c.executionCtx), c.req.param("token")),
  )
  const body = members("email", "contact_id").extend({
    event: eventName,
    payload: properties.optional(),
  })
  serve(app, "POST /events/send", events, { body }, async (ctx, { body }) => {
    const { event, email, contact_id: contactId, payload } = body
    await sendEvents(ctx, toJson(events, { name: event, email, contactId, properties: payload }))
    return { object: "event", event }
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
    id,
    filename,
    size,
    content_type: contentType,
    content_id: contentId,
    content_disposition: contentId ? "inline" : "attachment",
  })),
})

type File = ReturnType<typeof toRecord>["attachments"][number]

const toFile = ({ filename, content_id, ...file }: File, link: object) => ({
  ...file,
  ...(filename !== null && { filename }),
  ...(content_id !== null && { content_id }),
  ...link,
})

async function createLinks(ctx: Ctx) {
  const { tokenOf, expiresAt } = await createFileTokens(ctx)
  return (receivedId: string, attachmentId: string | null) => ({
    download_url: new URL(
      `${RESEND_PREFIX}${FILES}/${tokenOf(receivedId, attachmentId)}`,
      ctx.settings.BASE_URL,
    ).href,
    expires_at: new Date(expiresAt).toISOString(),
  })
}

/** The ids of files count up. */
function pageOfFiles(files: File[], query: z.output<typeof listQuery>) {
  const { limit } = toPageQuery(query)
  const [from, until] =
    query.before === undefined
      ? [Number(query.after ?? -1) + 1, files.length]
      : [Math.max(0, Number(query.before) - limit), Number(query.before)]
  const data = files.slice(from, Math.min(until, from + limit))
  const isMore = query.before === undefined ? from + limit < until : from > 0
  return { data, nextCursor: isMore ? "" : null }
}

const toText = ({ email, name }: Wire<typeof contract.namedAddress>) =>
  formatMailbox({ address: email, name: name ?? "" })
