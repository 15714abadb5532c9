import type { SMTPServerSession } from "smtp-server"
import { within } from "../lib/within.ts"
import type { User } from "./login.ts"
import { refusal } from "./replies.ts"

const WITHIN_MS = 3_000

/** Suppression does not depend on the sender, and the envelope may have none, or `root@localhost`. */
const ANY_SENDER = "relay@relay.invalid"

/**
 * Refuses a suppressed recipient alone, so that the others get the message. Where the service does
 * not answer, the send decides.
 */
export async function refuseSuppressed(session: SMTPServerSession, address: string): Promise<void> {
  const { client } = session.user as User
  const message = { subject: "-", text: "-", to: address, from: ANY_SENDER }
  const check = await within(WITHIN_MS, client.emails.check(message)).catch(() => null)
  const suppressed = check?.recipients?.[0]?.suppressed
  if (suppressed) {
    throw refusal(
      550,
      `5.7.1 A recipient is on the suppression list. ${address} (${suppressed.reason})`,
    )
  }
}
