import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect as connectTcp, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { CERTIFICATE } from "./relay-process.ts"

/** A client that says just what it is told, to see each reply. */
export interface SmtpClient {
  /** A command and its reply, all of its lines. */
  say(text: string | Buffer): Promise<string>
  /** The next reply; one after the other. */
  hear(): Promise<string>
  write(data: string | Uint8Array): Promise<void>
  startTls(): Promise<void>
  logIn(key: string): Promise<string>
  cut(): void
  closed: Promise<unknown>
}

export async function openClient(port: number, mode: "plain" | "tls" = "plain") {
  let socket: Socket = mode === "tls" ? secured(port) : connectTcp(port, "localhost")
  let buffer = ""
  let wake = () => {}
  const listen = () => {
    socket.on("error", () => {})
    socket.on("close", () => wake())
    socket.on("data", (data) => {
      buffer += data
      wake()
    })
  }
  listen()
  const client: SmtpClient = {
    async say(text) {
      await client.write(Buffer.concat([Buffer.from(text as string), Buffer.from("\r\n")]))
      return client.hear()
    },
    async hear() {
      for (;;) {
        const reply = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(buffer)?.[0]
        if (reply) {
          buffer = buffer.slice(reply.length)
          return reply
        }
        if (socket.closed) throw new Error("The connection is closed")
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async write(data) {
      if (!socket.write(data)) await Promise.race([once(socket, "drain"), once(socket, "close")])
    },
    async startTls() {
      await client.say("EHLO client.test")
      await client.say("STARTTLS")
      socket.removeAllListeners("data")
      socket = secured(port, socket)
      listen()
      await once(socket, "secureConnect")
    },
    async logIn(key) {
      await client.say("EHLO client.test")
      return client.say(`AUTH PLAIN ${Buffer.from(`\0anybody\0${key}`).toString("base64")}`)
    },
    cut: () => void socket.destroy(),
    get closed() {
      return socket.closed ? Promise.resolve() : once(socket, "close")
    },
  }
  const greeting = await client.hear()
  if (!greeting.startsWith("220")) throw new Error(greeting)
  return client
}

const secured = (port: number, socket?: Socket) =>
  connectTls({
    ...(socket ? { socket } : { port, host: "localhost" }),
    servername: "localhost",
    ca: readFileSync(CERTIFICATE),
  })
