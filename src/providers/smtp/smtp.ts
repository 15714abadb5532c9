import { Readable } from "node:stream"
import type { EventData } from "../../emails/contract.ts"
import type { Work } from "../../env.ts"
import { messageIdOf, streamMime } from "../mime.ts"
import {
  envelopeRecipients,
  MAX_ATTEMPTS,
  type OutgoingMessage,
  type Provider,
  type SendResult,
} from "../provider.ts"
import {
  type Connection,
  type Envelope,
  openConnection,
  quit,
  reset,
  type SmtpFault,
  transmit,
} from "./connection.ts"

/** A send ends well before its lease does, the opening of a connection included. */
const SEND_WITHIN_MS = 25_000
const MAX_REASON_LENGTH = 500

/** Any SMTP server: one connection for all messages of a batch. What follows acceptance is unknown. */
export function smtp(work: Work): Provider {
  let connection: Connection | undefined
  const isOpen = () => connection !== undefined && !connection.destroyed

  async function handOver(message: OutgoingMessage, until: number): Promise<SendResult> {
    const open = isOpen()
      ? (connection as Connection)
      : await openConnection(work.settings, until - Date.now())
    connection = open
    const envelope: Envelope = { from: message.from.address, to: envelopeRecipients(message) }
    /** All recipients are tried again together, as long as there is another attempt. */
    const deferral = () =>
      message.attempt < MAX_ATTEMPTS
        ? envelope.rejectedErrors?.find(({ permanent }) => !permanent)
        : undefined
    let isWhole = false
    const raw = Readable.from(
      (async function* () {
        if (deferral()) throw new Error("A recipient is refused for now")
        yield* await streamMime(message, work.now())
        isWhole = true
      })(),
    )
    try {
      const { rejectedErrors = [] } = await transmit(open, envelope, raw, until - Date.now())
      return {
        ok: true,
        providerMessageId: messageIdOf(message),
        acceptedAt: work.now(),
        bounces: rejectedErrors.map(bounceOf),
      }
    } catch (error) {
      const { command, response } = error as SmtpFault
      // Without an answer it may be in the middle of the message, where RSET is one more line.
      if (response) await reset(open).catch(() => open.close())
      else open.close()
      if (isWhole && !response) return unanswered
      throw response && command !== "RCPT TO" ? error : (deferral() ?? error)
    }
  }

  return {
    name: "smtp",
    sendsAtOnce: 1,

    async send(message) {
      if (!work.settings.SMTP_HOST) return fault("SMTP_HOST is not set.")
      const until = Date.now() + SEND_WITHIN_MS
      const wasOpen = isOpen()
      try {
        return await handOver(message, until)
      } catch (error) {
        if (!wasOpen || !isGoodbye(error as SmtpFault)) return toResult(error as SmtpFault)
      }
      return handOver(message, until).catch(toResult)
    },

    async close() {
      const open = isOpen() ? connection : undefined
      connection = undefined
      if (open) await quit(open).catch(() => {})
    },
  }
}

/** Servers end a connection that has carried enough messages: the next one wants a new one. */
const isGoodbye = ({ command, responseCode }: SmtpFault) =>
  command === "MAIL FROM" && responseCode === 421

/**
 * What a server says before it is shown a message is about this installation: never final, and
 * not repeated, since it may quote the credentials it was given.
 */
function toResult(refusal: SmtpFault): SendResult {
  const { command = "", responseCode, response, permanent, rejectedErrors } = refusal
  if (!response) return fault("The SMTP server could not be reached or did not answer.")
  if (command.startsWith("AUTH")) {
    return fault(`The SMTP server refused the credentials (${responseCode}).`)
  }
  if (!["MAIL FROM", "RCPT TO", "DATA"].includes(command)) {
    return fault(`The SMTP server refused the connection (${responseCode}).`)
  }
  const bounces = permanent ? rejectedErrors?.map(bounceOf) : undefined
  return { ok: false, retryable: !permanent, reason: shown(response), ...(bounces && { bounces }) }
}

/** The server had the whole message, and may have taken it. */
const unanswered: SendResult = {
  ok: false,
  retryable: true,
  unanswered: true,
  reason: "The SMTP server took the message and did not answer.",
}

const fault = (reason: string): SendResult => ({ ok: false, retryable: true, reason })

/** Only a code that names the mailbox (RFC 3463, X.1.Z) suppresses it: the rest may be policy. */
function bounceOf({ recipient = "", response = "", responseCode = 0 }: SmtpFault): EventData {
  const isMailbox = /^5\d\d[ -]5\.1\./.test(response)
  return {
    bounceType: responseCode < 500 ? "Transient" : isMailbox ? "Permanent" : "Undetermined",
    diagnosticCode: `smtp; ${shown(response)}`,
    recipients: [recipient],
  }
}

const shown = (response: string) => response.replace(/\s+/g, " ").slice(0, MAX_REASON_LENGTH)
