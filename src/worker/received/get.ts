import { and, eq, sql } from "drizzle-orm"
import { within } from "../../lib/within.ts"
import type { Ctx } from "../platform/context.ts"
import { findInBuckets } from "../platform/db/buckets.ts"
import { commit } from "../platform/db/commit.ts"
import { load, READ_WITHIN_MS } from "../platform/db/overflow.ts"
import { notFound, orNotFound } from "../platform/http/errors.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { deleteReceived } from "./delete.ts"
import { isLiveInbox } from "./inboxes/local-inboxes.ts"
import { selectReceived } from "./list.ts"
import type { Texts } from "./reading/parse.ts"
import { textsKeyOf } from "./reading/record.ts"
import { type ReceivedRow, receivedEmails } from "./table.ts"
import { toReceived } from "./view.ts"

const NOUN = "Received email"
const NO_TEXTS: Texts = { text: null, html: null, replyText: null, headers: [] }

export async function readReceived(ctx: Ctx, id: string): Promise<ReceivedRow> {
  const [[row]] = await ctx.batch([selectReceived(ctx, id)])
  return orNotFound(row, NOUN)
}

export async function getReceivedEmail(ctx: Ctx, id: string) {
  const row = await readReceived(ctx, id)
  return { ...toReceived(row), ...(await readTexts(ctx, row)) }
}

/** The decoded texts of a message that was worked off. */
export async function readTexts({ env }: Pick<Ctx, "env">, row: ReceivedRow): Promise<Texts> {
  if (row.parsed === null) return NO_TEXTS
  const objectKey = row.body === null ? textsKeyOf(row.objectKey as string) : null
  const bytes = await load(env, { body: row.body, objectKey })
  return bytes ? (JSON.parse(bytes.toString()) as Texts) : NO_TEXTS
}

export const getReceivedRaw = async (ctx: Ctx, id: string) =>
  openRaw(ctx, await readReceived(ctx, id))

export async function openRaw({ env }: Pick<Ctx, "env">, row: ReceivedRow): Promise<Response> {
  const object = await within(
    READ_WITHIN_MS,
    findInBuckets(env, (bucket) => bucket.get(row.objectKey as string)),
  )
  if (!object) throw notFound("Message")
  return new Response(object.body, {
    headers: { "content-type": "message/rfc822", "content-length": String(object.size) },
  })
}

export async function updateReceivedEmail(ctx: Ctx, id: string, { read }: { read: boolean }) {
  const { updated } = await commit(ctx, {
    updated: ctx.db
      .update(receivedEmails)
      .set({ read })
      .where(
        and(
          eq(receivedEmails.teamId, ctx.team),
          eq(receivedEmails.id, id),
          isLiveInbox(sql`${ctx.team}`, sql`${receivedEmails.inboxId}`),
        ),
      )
      .returning(),
  })
  return toReceived(orNotFound(updated[0], NOUN))
}

export async function deleteReceivedEmail(ctx: Ctx, id: string): Promise<undefined> {
  const row = await readReceived(ctx, id)
  await deleteReceived(
    ctx,
    row.teamId,
    [row],
    [await auditEntry(ctx, "receivedEmails.remove", { id })],
  )
}
