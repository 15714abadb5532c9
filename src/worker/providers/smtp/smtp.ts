import { Readable } from "node:stream"
import type { EventData } from "../../emails/contract.ts"
import type { Work } from "../../platform/context.ts"
import { bounceTypeOf } from "../bounce-type.ts"
import { messageIdOf, streamMime } from "../mime.ts"
import {
  envelopeRecipients,
  MAX_ATTEMPTS,
  type OutgoingMessage,
  type Provider,
  type SendResult,
  UnwritableMessage,
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

/** A send, with the opening of a connection, ends well before its lease. */
const SEND_WITHIN_MS = 25_000
const MAX_REASON_LENGTH = 500

/** Any SMTP server, with one connection for all messages of a batch. Its bounces come as mail, where the domain receives. */
export function smtp(work: Work): Provider {
  let connection: Connection | undefined
  const isOpen = () => connection !== undefined && !connection.destroyed

  async function handOver(message: OutgoingMessage, until: number): Promise<SendResult> {
    if (!isOpen()) connection = await openConnection(work.settings, until - Date.now())
    return transmitMessage(work, connection as Connection, message, until)
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

async function transmitMessage(
  work: Work,
  connection: Connection,
  message: OutgoingMessage,
  until: number,
): Promise<SendResult> {
  const mime = await streamMime(message, work.now())
  const envelope: Envelope = {
    from: message.returnPath ?? message.from.address,
    to: envelopeRecipients(message),
    use8BitMime: true,
  }
  /**
   * The refusal of one recipient that postpones the whole message: a fault of the provider, or a
   * deferral unless this is the last attempt.
   */
  const postponement = () =>
    envelope.rejectedErrors?.find(isFaultOfProvider) ??
    (message.attempt < MAX_ATTEMPTS
      ? envelope.rejectedErrors?.find(({ permanent }) => !permanent)
      : undefined)
  let isWhole = false
  const raw = Readable.from(
    (async function* () {
      if (postponement()) throw new Error("A recipient is refused for now")
      yield* mime
      isWhole = true
    })(),
  )
  try {
    const { rejectedErrors = [] } = await transmit(connection, envelope, raw, until - Date.now())
    return {
      ok: true,
      providerMessageId: messageIdOf(message),
      acceptedAt: work.now(),
      bounces: rejectedErrors.map(bounceOf),
    }
  } catch (error) {
    const { command, response } = error as SmtpFault
    // Without an answer the server may still read the message, and take RSET as a line of it.
    if (response) await reset(connection).catch(() => connection.close())
    else connection.close()
    if (isWhole && !response) return unanswered
    throw response && command !== "RCPT TO" ? error : (postponement() ?? error)
  }
}

/** The server closes the connection (421), or wants credentials or TLS. */
const FAULT_CODES = [421, 530, 535, 538]
const isFaultOfProvider = ({ responseCode = 0 }: SmtpFault) => FAULT_CODES.includes(responseCode)

/** Servers end a connection after some messages. The next message needs a new connection. */
const isGoodbye = ({ responseCode }: SmtpFault) => responseCode === 421

/**
 * A refusal before the message concerns this installation: the email is tried again. Its text is not
 * shown, since it may quote the credentials.
 */
function toResult(refusal: SmtpFault): SendResult {
  if (refusal instanceof UnwritableMessage) throw refusal
  const { command = "", responseCode, response, permanent, rejectedErrors } = refusal
  if (!response) return fault("The SMTP server could not be reached or did not answer.")
  if (command.startsWith("AUTH") || responseCode === 535) {
    return fault(`The SMTP server refused the credentials (${responseCode}).`)
  }
  if (!["MAIL FROM", "RCPT TO", "DATA"].includes(command)) {
    return fault(`The SMTP server refused the connection (${responseCode}).`)
  }
  if (isFaultOfProvider(refusal)) return fault(shown(response))
  const bounces = permanent ? rejectedErrors?.map(bounceOf) : undefined
  return { ok: false, retryable: !permanent, reason: shown(response), ...(bounces && { bounces }) }
}

/** The server had the whole message, and may have accepted it. */
const unanswered: SendResult = {
  ok: false,
  retryable: true,
  unanswered: true,
  reason: "The SMTP server took the message and did not answer.",
}

const fault = (reason: string): SendResult => ({
  ok: false,
  retryable: true,
  fault: "provider",
  reason,
})

const bounceOf = ({ recipient = "", response = "" }: SmtpFault): EventData => ({
  bounceType: bounceTypeOf(response),
  diagnosticCode: `smtp; ${shown(response)}`,
  recipients: [recipient],
})

const shown = (response: string) => response.replace(/\s+/g, " ").slice(0, MAX_REASON_LENGTH)
