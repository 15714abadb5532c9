import type { SMTPServerOptions, SMTPServerSession } from "smtp-server"
import { EdgepostError } from "../client/index.ts"
import { normalizeAddress } from "../lib/address.ts"
import { type Connections, STOPPING } from "./connections.ts"
import { createDelivery } from "./deliver.ts"
import type { Log } from "./log.ts"
import { createLogin } from "./login.ts"
import { refusal, toRefusal } from "./replies.ts"
import type { RelaySettings } from "./settings.ts"
import { refuseSuppressed } from "./suppressed.ts"

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
