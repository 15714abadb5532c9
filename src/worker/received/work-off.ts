import { logError } from "../../lib/log.ts"
import { MINUTE_MS } from "../../lib/time.ts"
import type { Work } from "../platform/context.ts"
import { withDeferred } from "../platform/db/commit.ts"
import { readObject } from "../platform/db/overflow.ts"
import { claimReceived, MAX_ATTEMPTS, releaseReceived } from "./claim.ts"
import { parseMessage } from "./parse.ts"
import { recordReceived } from "./record.ts"
import { readReports } from "./reports.ts"
import { readSender } from "./sender.ts"
import type { ReceivedRow } from "./table.ts"
import { unsubscribeByMail } from "./unsubscribe.ts"

const CLAIMED_AT_ONCE = 10
const WITHIN_MS = 20_000
const AGAIN_AFTER_MS = MINUTE_MS

/** Reads the mail that waits, a message after the other. */
export async function workOff(work: Work): Promise<void> {
  const until = work.now() + WITHIN_MS
  while (work.now() < until) {
    const claimed = await claimReceived(work, CLAIMED_AT_ONCE)
    for (const row of claimed) await workOffOne(work, row)
    if (claimed.length < CLAIMED_AT_ONCE) return
  }
}

/** A message that ends its process would end each one: after some attempts it is kept as it came. */
async function workOffOne(work: Work, row: ReceivedRow): Promise<void> {
  try {
    await withDeferred(work, async (work) => {
      const raw =
        row.attempts > MAX_ATTEMPTS ? null : await readObject(work.env, row.objectKey as string)
      const message = await parseMessage(raw ?? Buffer.alloc(0))
      const { bytes, author } = message
      const sender = await readSender(work, { bytes, from: author, createdAt: row.createdAt })
      if (sender === null) return releaseReceived(work, row, AGAIN_AFTER_MS)
      const kind = (await unsubscribeByMail(work, row)) ? ("unsubscribe" as const) : message.kind
      const read = {
        ...{ ...message, kind, sender },
        isWhole: message.isWhole && raw !== null,
        from: message.from ?? { email: row.envelopeFrom, name: null },
      }
      await recordReceived(work, row, read, await readReports(work, row, message))
    })
  } catch (error) {
    logError(error, { received: row.id })
    await releaseReceived(work, row, AGAIN_AFTER_MS)
  }
}
