import { logError } from "../../../lib/log.ts"
import type { Work } from "../../platform/context.ts"
import { withDeferred } from "../../platform/db/commit.ts"
import { isTeamMoving } from "../../platform/http/errors.ts"
import { loadMessage } from "../reading/load-message.ts"
import { parseMessage } from "../reading/parse.ts"
import { recordReceived } from "../reading/record.ts"
import { readReports } from "../reading/reports.ts"
import { readSender } from "../reading/sender.ts"
import { unsubscribeByMail } from "../reading/unsubscribe.ts"
import type { ReceivedRow } from "../table.ts"
import { claimReceived, MAX_ATTEMPTS, releaseReceived } from "./claim.ts"

const CLAIMED_AT_ONCE = 10
const WITHIN_MS = 20_000

/** Reads the mail that waits, a message after the other. */
export async function workOff(work: Work): Promise<void> {
  const until = work.now() + WITHIN_MS
  while (work.now() < until) {
    const claimed = await claimReceived(work, CLAIMED_AT_ONCE)
    for (const row of claimed) await workOffOne(work, row)
    const isAlone = claimed.some(({ attempts }) => attempts > 1)
    if (claimed.length < CLAIMED_AT_ONCE && !isAlone) return
  }
}

/** A message that ends its process would end each one: after some attempts it is kept as it came. */
async function workOffOne(work: Work, row: ReceivedRow): Promise<void> {
  const of = { received: row.id }
  try {
    await withDeferred(work, async (work) => {
      const bytes = row.attempts > MAX_ATTEMPTS ? null : await loadMessage(work.env, row)
      const parsed = bytes && (await parseOrLog(bytes, row))
      const message = parsed ?? (await parseMessage(Buffer.alloc(0)))
      const { author: from } = message
      const { createdAt } = row
      const sender = await readSender(work, { bytes: message.bytes, from, createdAt })
      if (sender === null) return releaseReceived(work, row)
      const kind = (await unsubscribeByMail(work, row)) ? ("unsubscribe" as const) : message.kind
      const read = {
        ...message,
        kind,
        sender,
        isWhole: message.isWhole && message === parsed,
        from: message.from ?? { email: row.envelopeFrom, name: null },
      }
      await recordReceived(work, row, read, await readReports(work, row, message))
    })
  } catch (error) {
    logError(error, of)
    await releaseReceived(work, row, { costsAttempt: isRefused(error) })
  }
}

/** Null for a message that no attempt could read. */
const parseOrLog = (bytes: Buffer, { id, size }: ReceivedRow) =>
  parseMessage(bytes, size).catch((error) => {
    logError(error, { received: id })
    return null
  })

/** The database would refuse the same rows again. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  !isTeamMoving(error) &&
  (error.message.includes("SQLITE_") || isRefused(error.cause))
