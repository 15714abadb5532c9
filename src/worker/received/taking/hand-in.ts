import type { Ctx } from "../../platform/context.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { notFound } from "../../platform/http/errors.ts"
import { readBody } from "../../platform/http/input/body.ts"
import { withStatus } from "../../platform/http/route.ts"
import { type takeReceivedEmail as contract, MAX_MESSAGE_BYTES } from "../contract.ts"
import { selectRecipients } from "../inboxes/find-inbox.ts"
import { takeMessage } from "./take.ts"

/** A message that somebody hands in over HTTP. */
export async function handIn(
  ctx: Ctx,
  { query: { from, to } }: InputOf<typeof contract>,
  request: Request,
) {
  const [found] = await ctx.batch([
    ctx.db.all<{ teamId: string; inboxId: string; isVerified: 0 | 1 }>(
      selectRecipients(ctx, to, ctx.team),
    ),
  ])
  const { message, size } = await readMessage(request)
  const recipient = found.find(({ isVerified }) => isVerified)
  if (!recipient) throw notFound("Inbox")
  const taken = await takeMessage(ctx, { ...recipient, envelope: { from, to }, message, size })
  return taken.isRepeat ? withStatus(200, { id: taken.id }) : { id: taken.id }
}

/** R2 takes a stream whose length is known. Too large a body is read to its end and refused. */
async function readMessage(request: Request) {
  const length = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY)
  if (request.body && length <= MAX_MESSAGE_BYTES) return { message: request.body, size: length }
  const bytes = await readBody(request, MAX_MESSAGE_BYTES)
  return { message: new Blob([bytes as Uint8Array<ArrayBuffer>]).stream(), size: bytes.length }
}
