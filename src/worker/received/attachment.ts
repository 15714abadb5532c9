import { extendedValue } from "../../lib/extended-value.ts"
import { DECODE } from "../emails/raw/transfer-encoding.ts"
import type { Ctx } from "../platform/context.ts"
import { readObject } from "../platform/db/overflow.ts"
import { orNotFound } from "../platform/http/errors.ts"
import { readReceived } from "./get.ts"
import { loadMessage } from "./reading/load-message.ts"
import type { ReceivedRow, StoredAttachment } from "./table.ts"

export const getReceivedAttachment = async (ctx: Ctx, id: string, attachmentId: string) =>
  openAttachment(ctx, await readReceived(ctx, id), attachmentId)

/** A file of a message. A browser that opens the answer saves it, and guesses no type. */
export async function openAttachment(
  { env }: Pick<Ctx, "env">,
  row: ReceivedRow,
  attachmentId: string,
): Promise<Response> {
  const index = /^\d{1,4}$/.test(attachmentId) ? Number(attachmentId) : -1
  const file = orNotFound(row.details.attachments?.[index], "File")
  const bytes = orNotFound((await readPart(env, row, file)) ?? undefined, "File")
  const name = extendedValue(file.filename ?? `attachment-${attachmentId}`)
  return new Response(await decode(bytes, file), {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename*=UTF-8''${name}`,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
    },
  })
}

/** The places count from CRLF at the end of each line: other messages are read whole. */
async function readPart(
  env: Ctx["env"],
  { objectKey, details, size }: ReceivedRow,
  { start, end }: StoredAttachment,
) {
  if (start === end) return Buffer.alloc(0)
  if (!details.hasBareLineEnds)
    return readObject(env, objectKey as string, { offset: start, length: end - start })
  return (await loadMessage(env, { objectKey, size }))?.subarray(start, end)
}

/** In place, so that a large file is in memory once. */
async function decode(bytes: Buffer, { encoding }: StoredAttachment): Promise<BodyInit> {
  const length = (await DECODE.get(encoding)?.(bytes, bytes)) ?? bytes.length
  return bytes.subarray(0, length) as Uint8Array<ArrayBuffer>
}
