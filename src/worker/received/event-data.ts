import * as z from "zod"
import { derivedId } from "../../lib/id.ts"
import { truncate } from "../../lib/text.ts"
import { received } from "./contract.ts"
import type { Texts } from "./reading/parse.ts"
import type { ReceivedRow } from "./table.ts"
import { toReceived } from "./view.ts"

/** All texts of an event together. */
const MAX_CHARACTERS = 200 * 1024

/** The same for each attempt to record a message. */
export const eventIdOf = ({ id, createdAt }: Pick<ReceivedRow, "id" | "createdAt">) =>
  derivedId("event", createdAt, `${id} received`)

/** The `data` of `email.received`: the record with its texts, as long as they are not too long. */
export function eventData(row: ReceivedRow, { text, html, replyText }: Texts) {
  let left = MAX_CHARACTERS
  const take = (whole: string | null) => {
    if (whole === null) return null
    const part = truncate(whole, left)
    left -= part.length
    return part
  }
  const texts = { replyText: take(replyText), text: take(text), html: take(html) }
  const isCut = texts.replyText !== replyText || texts.text !== text || texts.html !== html
  return {
    received: {
      ...z.encode(received, toReceived(row)),
      ...texts,
      ...(isCut && { truncated: true }),
    },
  }
}
