import { timeOf } from "../../../lib/id.ts"
import type { Work } from "../../platform/context.ts"
import { ApiError } from "../../platform/http/errors.ts"
import type { LocalInbox } from "../../received/inboxes/local-inboxes.ts"
import { takeMessage } from "../../received/taking/take.ts"
import { composeMime } from "../mime.ts"
import type { OutgoingMessage } from "../provider.ts"

/** Mail to inboxes of the installation arrives there. A repeat has the same bytes, and arrives once. */
export async function deliverHere(
  work: Work,
  message: OutgoingMessage,
  inboxes: readonly LocalInbox[],
): Promise<void> {
  const bytes = await composeMime(message, timeOf(message.emailId))
  for (const { address: to, ...inbox } of inboxes) {
    try {
      await takeMessage(work, {
        ...inbox,
        envelope: { from: message.from.address, to },
        message: new Blob([bytes as Uint8Array<ArrayBuffer>]).stream(),
        size: bytes.length,
      })
    } catch (error) {
      // An inbox that takes no more mail now refuses it, as a server would.
      if (!(error instanceof ApiError)) throw error
    }
  }
}
