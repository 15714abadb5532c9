import { readFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo, Server } from "node:net"
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server"
import type { TestProject } from "vitest/node"

/** A message as the server took it in. */
export interface Received {
  from: string
  to: string[]
  /** Base64. */
  raw: string
  connection: string
  secure: boolean
  user: string | null
}

export interface SmtpPorts {
  plain: number
  starttls: number
  tls: number
  /** Answers `GET /?to=address` with what was received for it. */
  inbox: number
}

declare module "vitest" {
  interface ProvidedContext {
    smtp: SmtpPorts
  }
}

export const SMTP_USER = { username: "edgepost", password: "correct horse battery staple" }

const file = (name: string) => readFileSync(new URL(name, import.meta.url))

/** Real SMTP servers beside the tests, and what they received, over HTTP. */
export default async function setup(project: TestProject) {
  const received: Received[] = []
  const tls = { key: file("localhost.key"), cert: file("localhost.crt") }
  const servers = {
    plain: smtpServer(received, { disabledCommands: ["STARTTLS"], authOptional: true }),
    starttls: smtpServer(received, { ...tls, hidePIPELINING: true }),
    tls: smtpServer(received, { ...tls, secure: true }),
  }
  const inbox = createServer(inboxOf(received))
  project.provide("smtp", {
    plain: await listening(servers.plain.server),
    starttls: await listening(servers.starttls.server),
    tls: await listening(servers.tls.server),
    inbox: await listening(inbox),
  })
  return () => {
    inbox.close()
    for (const server of Object.values(servers)) server.close()
  }
}

function smtpServer(received: Received[], options: SMTPServerOptions): SMTPServer {
  const server = new SMTPServer({
    logger: false,
    ...options,
    onAuth({ username, password }, _session, done) {
      if (username === SMTP_USER.username && password === SMTP_USER.password) {
        done(null, { user: username })
      } else {
        done(reply(535, `5.7.8 No: ${username} ${password}`))
      }
    },
    onMailFrom({ address }, session, done) {
      const isOver = address.startsWith("two-a-connection@") && session.transaction > 2
      done(isOver ? reply(421) : asked("mail", address))
    },
    onRcptTo({ address }, _session, done) {
      done(asked("rcpt", address))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on("data", (chunk) => chunks.push(chunk))
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const refusal = to.map((address) => asked("data", address)).find(Boolean)
        const isRepeat = received.some((message) => to.some((one) => message.to.includes(one)))
        if (!refusal) received.push(toReceived(session, to, Buffer.concat(chunks)))
        if (to.some((address) => address.startsWith("silent@"))) return
        if (to.some((address) => address.startsWith("lost@")) && !isRepeat) {
          return hangUp(server, session)
        }
        done(refusal)
      })
    },
  })
  // A client that does not like the certificate hangs up, which is an error here.
  return server.on("error", () => {})
}

const hangUp = (server: SMTPServer, { id }: SMTPServerSession) => {
  for (const connection of server.connections as Set<{ id: string; close(): void }>) {
    if (connection.id === id) connection.close()
  }
}

const toReceived = (session: SMTPServerSession, to: string[], raw: Buffer): Received => ({
  from: session.envelope.mailFrom ? session.envelope.mailFrom.address : "",
  to,
  raw: raw.toString("base64"),
  connection: session.id,
  secure: session.secure,
  user: session.user ?? null,
})

/**
 * `rcpt-550-5.1.1@…` is refused as a recipient with that reply, `mail-530@…` as a sender, and
 * `data-451@…` after the message.
 */
function asked(stage: "mail" | "rcpt" | "data", address: string): Error | null {
  const [, atStage, code, status = ""] =
    /^(mail|rcpt|data)-(\d{3})(?:-([\d.]+))?@/.exec(address) ?? []
  return atStage === stage ? reply(Number(code), `${status} as asked`.trim()) : null
}

const reply = (responseCode: number, text = "as asked") =>
  Object.assign(new Error(text), { responseCode })

const inboxOf =
  (received: readonly Received[]): RequestListener =>
  (request, response) => {
    const to = new URL(request.url ?? "/", "http://inbox").searchParams.get("to") ?? ""
    response.end(JSON.stringify(received.filter((message) => message.to.includes(to))))
  }

const listening = (server: Server | ReturnType<typeof createServer>) =>
  new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })
