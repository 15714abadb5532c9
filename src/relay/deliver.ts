import type { SMTPServerDataStream, SMTPServerSession } from "smtp-server"
import { normalizeAddress } from "../lib/address.ts"
import type { Log } from "./log.ts"
import { isUnauthorized, type User } from "./login.ts"
import { receive } from "./receive.ts"
import { send } from "./send.ts"
import { createSlots } from "./slots.ts"

/** Receives a message and sends it. Answers the SMTP reply, which has the id of the email. */
export function createDelivery(maxLargeMessages: number, log: Log) {
  const slots = createSlots(maxLargeMessages)
  return async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> => {
    const started = Date.now()
    const { client, team } = session.user as User
    const { mailFrom, rcptTo } = session.envelope
    const { bytes, release } = await receive(stream, slots, team)
    const size = bytes.byteLength
    try {
      const to = rcptTo.flatMap(({ address }) => normalizeAddress(address) ?? [])
      const from = mailFrom ? mailFrom.address : ""
      const id = await send(client, bytes, { from, to })
      log("message_sent", { session: session.id, team, id, size, ms: Date.now() - started })
      return `Queued as ${id}`
    } catch (error) {
      // The key was revoked: RFC 4954 lets the client log in again.
      if (isUnauthorized(error)) session.user = undefined
      throw error
    } finally {
      release()
    }
  }
}
