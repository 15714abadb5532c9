import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from "smtp-server"
import { EdgepostError } from "../client/index.ts"
import { normalizeAddress } from "../lib/address.ts"
import { within } from "../lib/within.ts"
import { type Connections, STOPPING } from "./connections.ts"
import type { Log } from "./log.ts"
import { createLogin, isUnauthorized, type User } from "./login.ts"
import { receive } from "./receive.ts"
import { refusal, toRefusal } from "./replies.ts"
import { send } from "./send.ts"
import type { RelaySettings } from "./settings.ts"
import { createSlots } from "./slots.ts"

const LOGIN_MS = 60_000
const MESSAGE_MS = 10 * 60_000

type Handlers = Pick<
  SMTPServerOptions,
  "onConnect" | "onAuth" | "onMailFrom" | "onRcptTo" | "onData" | "onClose"
>

/** What the relay does at each step of a session. */
export function createHandlers(
  settings: RelaySettings,
  connections: Connections,
  log: Log,
): Handlers {
  const logIn = createLogin(settings.SVC_BASE_URL)
  const deliver = createDelivery(settings.RELAY_MAX_LARGE_MESSAGES, log)
  const answer = createAnswer(log)
  return {
    onConnect({ id }, done) {
      if (connections.isStopping()) return done(refusal(421, STOPPING))
      connections.limit(id, LOGIN_MS, "4.4.2 No login in time")
      done()
    },
    onAuth({ password }, session, done) {
      const user = logIn(password ?? "", session.remoteAddress).then((user) => {
        connections.unlimit(session.id)
        return { user }
      })
      answer(session, user, done)
    },
    onMailFrom(_address, _session, done) {
      done(connections.isStopping() ? refusal(421, STOPPING) : null)
    },
    onRcptTo({ address }, session, done) {
      const recipient = normalizeAddress(address)
      if (recipient === null) return done(refusal(501, "5.1.3 Not an address that can be mailed"))
      answer(session, refuseSuppressed(session, recipient), done)
    },
    onData(stream, session, done) {
      connections.limit(session.id, MESSAGE_MS, "4.4.2 The message took too long")
      stream.once("end", () => connections.unlimit(session.id))
      answer(session, connections.hold(session.id, deliver(stream, session)), done)
    },
    onClose: ({ id }) => connections.unlimit(id),
  }
}

/** Waits for the work and passes its result to smtp-server. A failure becomes an SMTP reply. */
const createAnswer =
  (log: Log) =>
  async <T>(
    { id }: SMTPServerSession,
    work: Promise<T>,
    done: (error: Error | null, result?: T) => void,
  ): Promise<void> => {
    const outcome = await work.then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    if ("result" in outcome) return done(null, outcome.result)
    const { error } = outcome
    const reply = toRefusal(error)
    const { requestId = null, code = null } = error instanceof EdgepostError ? error : {}
    log("refused", { session: id, reply: reply.responseCode, code, requestId })
    done(reply)
  }

/** Receives a message and sends it. Answers the SMTP reply, which has the id of the email. */
function createDelivery(maxLargeMessages: number, log: Log) {
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

const WITHIN_MS = 3_000

/** Suppression does not depend on the sender, and the envelope may have none, or `root@localhost`. */
const ANY_SENDER = "relay@relay.invalid"

/**
 * Refuses a suppressed recipient alone, so that the others get the message. Where the service does
 * not answer, the send decides.
 */
async function refuseSuppressed(session: SMTPServerSession, address: string): Promise<void> {
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
