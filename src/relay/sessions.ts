import { setTimeout as sleep } from "node:timers/promises"
import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from "smtp-server"
import { Edgepost, EdgepostError } from "../client/index.ts"
import { normalizeAddress } from "../lib/address.ts"
import { clientOf } from "./clients.ts"
import type { RelayServer } from "./connection.ts"
import type { Log } from "./log.ts"
import { countLogins } from "./logins.ts"
import { readMessage } from "./message.ts"
import { receive } from "./receive.ts"
import { refusal, toRefusal } from "./replies.ts"
import { persist, send } from "./send.ts"
import type { RelaySettings } from "./settings.ts"
import { openSlots } from "./slots.ts"

const LOGIN_MS = 60_000
const MESSAGE_MS = 10 * 60_000
const STOPPING = "4.3.2 The relay is restarting, try again"

/** Who is logged in: what smtp-server keeps as the session's user. */
interface User {
  client: Edgepost
  team: string
}

type Handlers = Pick<
  SMTPServerOptions,
  "onConnect" | "onAuth" | "onMailFrom" | "onRcptTo" | "onData" | "onClose"
>

/** What the relay does at each step of a session, and how it ends sessions. */
export function openSessions(settings: RelaySettings, log: Log) {
  const servers: RelayServer[] = []
  const logins = countLogins()
  const slots = openSlots(settings.RELAY_MAX_LARGE_MESSAGES)
  const loginTimers = new Map<string, NodeJS.Timeout>()
  const inHand = new Set<string>()
  let stopping = false

  const connections = () => servers.flatMap((server) => [...server.connections])

  function hangUp(id: string, text: string): void {
    for (const connection of connections()) if (connection.id === id) connection.send(421, text)
  }

  function awaitLogin({ id }: SMTPServerSession): void {
    const give = () => hangUp(id, "4.4.2 No login in time")
    loginTimers.set(id, setTimeout(give, LOGIN_MS).unref())
  }

  function endWait({ id }: SMTPServerSession): void {
    clearTimeout(loginTimers.get(id))
    loginTimers.delete(id)
  }

  async function logIn(password: string, session: SMTPServerSession): Promise<User> {
    const address = clientOf(session.remoteAddress)
    try {
      const user = await readUser(settings.SVC_BASE_URL, password)
      logins.succeeded(address)
      endWait(session)
      return user
    } catch (error) {
      const isBad = error instanceof EdgepostError && error.code === "unauthorized"
      if (!isBad) throw error
      await sleep(logins.failed(address), undefined, { ref: false })
      throw refusal(535, "5.7.8 The password is not a valid API key")
    }
  }

  async function relay(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const started = Date.now()
    inHand.add(session.id)
    const { client, team } = session.user as User
    const { mailFrom, rcptTo } = session.envelope
    const timer = setTimeout(
      () => hangUp(session.id, "4.4.2 The message took too long"),
      MESSAGE_MS,
    )
    const { bytes, release } = await receive(stream, slots, team).finally(() => clearTimeout(timer))
    const size = bytes.byteLength
    try {
      const to = rcptTo.flatMap(({ address }) => normalizeAddress(address) ?? [])
      const from = mailFrom ? mailFrom.address : ""
      const ids = await send(client, await readMessage(bytes), { from, to })
      log("message_sent", { session: session.id, team, ids, size, ms: Date.now() - started })
      return `Queued as ${ids.join(" ")}`
    } catch (error) {
      // The key was revoked: RFC 4954 lets the client log in again.
      if (error instanceof EdgepostError && error.code === "unauthorized") session.user = undefined
      throw error
    } finally {
      release()
    }
  }

  const answer = async <T>(
    session: SMTPServerSession,
    work: Promise<T>,
    done: (error: Error | null, result?: T) => void,
  ) => {
    try {
      const result = await work
      done(null, result)
    } catch (error) {
      const reply = toRefusal(error)
      const { requestId = null, code = "" } = error instanceof EdgepostError ? error : {}
      log("refused", { session: session.id, reply: reply.responseCode, code, requestId })
      done(reply)
    }
  }

  const handlers: Handlers = {
    onConnect(session, done) {
      if (stopping) return done(refusal(421, STOPPING))
      awaitLogin(session)
      done()
    },
    onAuth({ password }, session, done) {
      const user = logIn(password ?? "", session).then((user) => ({ user }))
      answer(session, user, done)
    },
    onMailFrom(_address, _session, done) {
      done(stopping ? refusal(421, STOPPING) : null)
    },
    onRcptTo({ address }, _session, done) {
      done(
        normalizeAddress(address) ? null : refusal(501, "5.1.3 Not an address that can be mailed"),
      )
    },
    onData(stream, session, done) {
      answer(session, relay(stream, session), (error, text) => {
        inHand.delete(session.id)
        done(error, text)
      })
    },
    onClose: endWait,
  }

  return {
    handlers,
    watch: (server: RelayServer) => void servers.push(server),
    isStopping: () => stopping,
    /** Resolves when no message is in hand; a connection without one is closed at once. */
    async finish(): Promise<void> {
      for (stopping = true; inHand.size > 0; await sleep(50)) {
        for (const one of connections()) if (!inHand.has(one.id)) one.send(421, STOPPING)
      }
    },
    hangUpAll() {
      for (const connection of connections()) connection.send(421, STOPPING)
    },
  }
}

async function readUser(baseUrl: string, password: string): Promise<User> {
  // What no header can hold is no key either.
  if (!/^[!-~]+$/.test(password)) {
    throw new EdgepostError({ code: "unauthorized", message: "Not an API key", status: 401 })
  }
  const client = new Edgepost({ apiKey: password, baseUrl, maxRetries: 0 })
  const { team } = await persist(() => client.me())
  return { client, team: team.id }
}
