import type { Packed } from "../../platform/db/overflow.ts"
import { packMessage } from "../../platform/db/packed-content.ts"
import { messageIdOf } from "../../providers/mime.ts"
import { NO_PARTS } from "../content.ts"
import type { RawMessage } from "./raw-message.ts"

/** A message as it is stored, with the header fields that its sender left out. */
export function packRaw(emailId: string, date: number, raw: RawMessage): Packed {
  const { from, messageId, hasDate, hasMimeVersion, pieces } = raw
  const added = [
    ...(hasDate ? [] : [`Date: ${new Date(date).toUTCString().replace("GMT", "+0000")}\r\n`]),
    ...(messageId ? [] : [`Message-ID: ${messageIdOf({ emailId, from })}\r\n`]),
    ...(hasMimeVersion ? [] : ["MIME-Version: 1.0\r\n"]),
  ]
  return packMessage({ ...NO_PARTS, messageId }, [Buffer.from(added.join("")), ...pieces])
}
