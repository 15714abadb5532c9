import type { Hono } from "hono"
import * as z from "zod"
import { type BatchItem, sendAcceptable, sendEmailBatch } from "../../emails/accept/batch.ts"
import { sendEmail } from "../../emails/accept/send.ts"
import { cancelEmail } from "../../emails/cancel.ts"
import { getEmailContent } from "../../emails/content/content.ts"
import * as contract from "../../emails/contract.ts"
import { getEmail } from "../../emails/get.ts"
import { listEmails } from "../../emails/list/list.ts"
import { rescheduleEmail } from "../../emails/reschedule.ts"
import { idempotencyHeader, type SendInput } from "../../emails/send-input.ts"
import { selectLastEntry } from "../../emails/timeline.ts"
import { ApiError } from "../../platform/http/errors.ts"
import { readInput, readItems, readOutline } from "../../platform/http/input/read-input.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { messageIdOf } from "../../webhooks/resend-records.ts"
import { messageOf, whereThereIs } from "../errors.ts"
import { listQuery, toList, toPageQuery } from "../lists.ts"
import { type Asked, members, serve, shown, toJson } from "../route.ts"
import { toEmail, toEmailRecord } from "./email-record.ts"
import { sendMembers, toSendInput } from "./send-members.ts"

const { sendEmail: send, sendEmailBatch: batch } = contract

export function emailRoutes(app: Hono<HttpEnv>): void {
  serve(app, "POST /emails", send, { body: sendMembers }, async (ctx, { body, header }) =>
    shown(send, await sendEmail(ctx, toJson(send, toSendInput(body)), callKey(header))),
  )
  serve(app, "POST /emails/batch", batch, { body: z.array(z.unknown()) }, (ctx, asked) =>
    asked.header("x-batch-validation") === "permissive"
      ? sendPermissive(ctx, asked)
      : sendStrict(ctx, asked),
  )
  serve(app, "GET /emails", contract.listEmails, { query: listQuery }, async (ctx, { query }) => {
    const page = await listEmails(ctx, toPageQuery(query))
    const messageIds = new Map(page.data.map((email) => [email.id, email.providerMessageId]))
    return toList(shown(contract.listEmails, page), (email) =>
      toEmailRecord(email, messageIdOf(email, messageIds.get(email.id) ?? null, ctx.settings)),
    )
  })
  serve(app, "GET /emails/:id", contract.getEmail, {}, async (ctx, { params }) => {
    const found = await getEmail(ctx, params.id!)
    const email = shown(contract.getEmail, found)
    const messageId = messageIdOf(email, found.providerMessageId, ctx.settings)
    const content = await whereThereIs(getEmailContent(ctx, params.id!))
    const [last] = email.eventsCursor ? await selectLastEntry(ctx, params.id!) : []
    return toEmail(email, messageId, content, last && { ...last.data, type: last.type })
  })
  const { rescheduleEmail: move } = contract
  serve(app, "PATCH /emails/:id", move, { body: members("scheduled_at") }, async (ctx, asked) => {
    const { scheduledAt } = toJson(move, { scheduledAt: asked.body.scheduled_at })
    const { id } = await rescheduleEmail(ctx, asked.params.id!, scheduledAt)
    return { object: "email", id }
  })
  serve(app, "POST /emails/:id/cancel", contract.cancelEmail, {}, async (ctx, { params }) => {
    const { id } = await cancelEmail(ctx, params.id!)
    return { object: "email", id }
  })
}

type AskedBatch = Asked<z.ZodArray<z.ZodUnknown>, z.ZodObject>
type Ctx = Parameters<typeof sendEmailBatch>[0]

const callKey = (header: AskedBatch["header"]) =>
  readInput(idempotencyHeader, { "idempotency-key": header("idempotency-key") })["idempotency-key"]

const toItem = (value: unknown): SendInput =>
  toJson(send, toSendInput(readInput(sendMembers, value)))

/** Sends all emails or none. */
async function sendStrict(ctx: Ctx, { body, header }: AskedBatch) {
  const inputs = readItems(batch.json, body, toItem)
  return shown(batch, await sendEmailBatch(ctx, inputs, callKey(header)))
}

/** Sends the emails that nothing refuses, and names the others. */
async function sendPermissive(ctx: Ctx, { body, header }: AskedBatch) {
  const errors: { index: number; message: string }[] = []
  const items: BatchItem[] = []
  for (const [index, value] of readOutline(batch.json, body).entries()) {
    try {
      items.push({ index, input: toItem(value) })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      errors.push({ index, message: messageOf(error) })
    }
  }
  const { data, refusals } = await sendAcceptable(ctx, items, callKey(header))
  errors.push(...refusals.map(({ index, error }) => ({ index, message: messageOf(error) })))
  return { data, errors: errors.toSorted((a, b) => a.index - b.index) }
}
