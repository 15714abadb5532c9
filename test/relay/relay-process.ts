import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import nodemailer, { type Transporter, type TransportOptions } from "nodemailer"

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
export const CERTIFICATE = file("../support/smtp/localhost.crt")
const KEY = file("../support/smtp/localhost.key")

// biome-ignore lint/suspicious/noExplicitAny: lines of every event
export type LogLine = Record<string, any>

export interface RelayProcess {
  smtp: number
  smtps: number
  health: number
  log: LogLine[]
  /** Kilobytes of memory, as the kernel counts them. */
  memory(): number
  signal(name: NodeJS.Signals): void
  exited: Promise<number | null>
  kill(): Promise<void>
}

/** The relay as its operator runs it, on free ports, in front of an API. */
export async function startRelay(
  baseUrl: string,
  env: Record<string, string> = {},
): Promise<RelayProcess> {
  const child = spawn(process.execPath, [file("../../src/relay/main.ts")], {
    env: {
      ...process.env,
      NODE_OPTIONS: "",
      SVC_BASE_URL: baseUrl,
      SMTP_PORT: "0",
      SMTPS_PORT: "0",
      RELAY_HEALTH_PORT: "0",
      SMTP_TLS_CERT: CERTIFICATE,
      SMTP_TLS_KEY: KEY,
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const exited = once(child, "exit").then(([code]) => code as number | null)
  const log: LogLine[] = []
  const { smtp, smtps, health } = await untilListening(child, log)
  return {
    smtp,
    smtps,
    health,
    log,
    memory: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]),
    signal: (name) => void child.kill(name),
    exited,
    async kill() {
      child.kill("SIGKILL")
      await exited
    },
  }
}

function untilListening(child: ChildProcess, log: LogLine[]): Promise<LogLine> {
  return new Promise((resolve, reject) => {
    if (!child.stdout) return
    createInterface(child.stdout).on("line", (text) => {
      const line = JSON.parse(text)
      log.push(line)
      if (line.event === "listening") resolve(line)
    })
    child.once("exit", (code) => reject(new Error(`The relay ended with ${code}`)))
  })
}

interface Options {
  pool?: boolean
  maxConnections?: number
  user?: string
}

/** nodemailer on the port with STARTTLS, or on that with TLS. It checks the certificate. */
export function mailer(
  relay: RelayProcess,
  password: string,
  mode: "starttls" | "tls" = "starttls",
  { user = "anybody", ...options }: Options = {},
): Transporter {
  return nodemailer.createTransport({
    host: "localhost",
    port: mode === "tls" ? relay.smtps : relay.smtp,
    secure: mode === "tls",
    requireTLS: true,
    tls: { ca: readFileSync(CERTIFICATE) },
    auth: { user, pass: password },
    ...options,
  } as TransportOptions)
}
