import { logError } from "../../../lib/log.ts"
import { isPassingFault } from "../passing-fault.ts"

const FIRST_DELAY_SECONDS = 10
const LONGEST_DELAY_SECONDS = 55 * 60

/** Enough to find two faulty messages among a hundred. */
const MAX_FAULTS = 16

/**
 * The wait before a message is delivered again. A hundred of them take three and a half days:
 * a queue keeps a message for four, and then drops it without a dead letter.
 */
export const retryDelaySeconds = (attempts: number): number =>
  Math.min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** Math.min(attempts - 1, 20))

/**
 * Handles messages together. If that fails, it tries each half on its own, until the faulty message
 * is alone. After a passing fault of the platform, or many faults, the cause is elsewhere: the remaining
 * messages are delivered again later. Handling a message twice must be harmless.
 */
export async function handleApart<Body>(
  messages: readonly Message<Body>[],
  handle: (messages: readonly Message<Body>[]) => Promise<void>,
): Promise<void> {
  let faults = 0
  const later = (failed: readonly Message<Body>[]) => {
    for (const message of failed) {
      message.retry({ delaySeconds: retryDelaySeconds(message.attempts) })
    }
  }

  async function attempt(part: readonly Message<Body>[]): Promise<void> {
    if (faults >= MAX_FAULTS) return later(part)
    try {
      await handle(part)
    } catch (error) {
      faults = isPassingFault(error) ? MAX_FAULTS : faults + 1
      logError(error, { messages: part.length })
      if (part.length === 1 || faults >= MAX_FAULTS) return later(part)
      const half = Math.ceil(part.length / 2)
      await attempt(part.slice(0, half))
      await attempt(part.slice(half))
    }
  }

  if (messages.length > 0) await attempt(messages)
}
