import net from "node:net"
import type { Readable } from "node:stream"
import tls from "node:tls"
import type SMTPConnection from "nodemailer/lib/smtp-connection"
import type { Settings } from "../../platform/env.ts"

const CONNECT_WITHIN_MS = 10_000
const QUIT_WITHIN_MS = 1_000

export type Connection = SMTPConnection
export type SmtpFault = SMTPConnection.SMTPError

/** The connection adds refusals as they arrive: all are known when it asks for the message. */
export interface Envelope {
  from: string
  to: string[]
  /** `BODY=8BITMIME`, where the server has it. */
  use8BitMime: boolean
  rejectedErrors?: SmtpFault[]
}

/** Connects, secures the connection as the settings ask, and authenticates. */
export async function openConnection(settings: Settings, withinMs: number): Promise<Connection> {
  const until = Date.now() + withinMs
  const { default: SMTPConnection } = await import("nodemailer/lib/smtp-connection")
  const { SMTP_HOST: host = "", SMTP_SECURITY, SMTP_USERNAME, SMTP_PASSWORD, BASE_URL } = settings
  const secure = SMTP_SECURITY === "tls"
  const port = settings.SMTP_PORT ?? (secure ? 465 : 587)
  const connection = new SMTPConnection({
    // Otherwise nodemailer resolves the name over HTTP. The runtime's sockets resolve names.
    connection: secure ? tls.connect({ host, port }) : net.connect({ host, port }),
    host,
    port,
    secure,
    secured: secure,
    requireTLS: SMTP_SECURITY === "starttls",
    ignoreTLS: SMTP_SECURITY === "none",
    name: new URL(BASE_URL).hostname,
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
  })
  // An error between two steps closes the connection, and the next step sees that.
  connection.on("error", () => {})
  try {
    await answer(connection, withinMs, (done) => connection.connect(done))
    if (SMTP_USERNAME !== undefined) {
      const auth = { user: SMTP_USERNAME, pass: SMTP_PASSWORD ?? "" }
      await answer(connection, until - Date.now(), (done) => connection.login(auth, done))
    }
    return connection
  } catch (fault) {
    connection.close()
    throw fault
  }
}

/** Hands over one message. Answers what the server did with each recipient. */
export const transmit = (
  connection: Connection,
  envelope: Envelope,
  raw: Readable,
  withinMs: number,
) =>
  answer<SMTPConnection.SentMessageInfo>(connection, withinMs, (done) =>
    connection.send(envelope, raw, done),
  )

/** Prepares the connection for the next message after a refused one. */
export const reset = (connection: Connection) =>
  answer(connection, QUIT_WITHIN_MS, (done) => connection.reset(done))

export const quit = (connection: Connection) =>
  answer(connection, QUIT_WITHIN_MS, (done) => {
    connection.once("end", () => done(null))
    connection.quit()
  })

/** Awaits the answer to one step. Closes the connection if none comes in time. */
function answer<T>(
  connection: Connection,
  withinMs: number,
  ask: (done: (fault?: SmtpFault | null, result?: T) => void) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => {
    connection.close()
    reject(new Error("No answer in time"))
  }, withinMs)
  connection.once("error", reject)
  ask((fault, result) => (fault ? reject(fault) : resolve(result as T)))
  return promise.finally(() => {
    clearTimeout(timer)
    connection.off("error", reject)
  })
}
