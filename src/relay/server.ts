import { once } from "node:events"
import { readFileSync } from "node:fs"
import type { AddressInfo, Server } from "node:net"
import type { SMTPServerOptions } from "smtp-server"
import { MINUTE_MS } from "../lib/time.ts"
import { within } from "../lib/within.ts"
import { makeCertificate } from "./certificate.ts"
import { RelayServer } from "./connection.ts"
import { createConnectionLimiter } from "./connection-limiter.ts"
import { createConnections } from "./connections.ts"
import { createHandlers } from "./handlers.ts"
import { healthServer } from "./health.ts"
import type { Log } from "./log.ts"
import { MAX_MESSAGE_BYTES } from "./receive.ts"
import type { RelaySettings } from "./settings.ts"

const MAX_RECIPIENTS = 50
/** RFC 5321, section 4.5.3.2.7, requires five minutes. */
const IDLE_MS = 5 * MINUTE_MS
/** The relay stops at the latest after this time, even if messages are not finished. */
const STOP_MS = 90_000
/** The time for the last replies to reach their clients. */
const FLUSH_MS = 5_000

interface Relay {
  ports: { smtp: number; smtps: number; health: number }
  /** Reads the certificate's files again. */
  reloadCertificate(): void
  /** Refuses new connections. Resolves when every message in work has its reply. */
  stop(): Promise<void>
}

const smtpOptions = (settings: RelaySettings): SMTPServerOptions => ({
  name: settings.RELAY_NAME,
  minVersion: "TLSv1.2",
  logger: false,
  heloResponse: "%s",
  disableReverseLookup: true,
  hideENHANCEDSTATUSCODES: false,
  // An address with more than ASCII before the @ is refused.
  hideSMTPUTF8: true,
  authRequiredMessage: "Authentication required",
  size: MAX_MESSAGE_BYTES,
  rejectOversized: true,
  maxRecipients: MAX_RECIPIENTS,
  maxClients: settings.RELAY_MAX_CONNECTIONS,
  maxCommandLength: 4096,
  socketTimeout: IDLE_MS,
})

export async function startRelay(settings: RelaySettings, log: Log): Promise<Relay> {
  const connections = createConnections()
  const options = { ...smtpOptions(settings), ...createHandlers(settings, connections, log) }
  const certificate = readCertificate(settings, log)
  const smtp = new RelayServer({ ...options, ...certificate })
  const smtps = new RelayServer({ ...options, ...certificate, secure: true })
  const servers = [smtp, smtps]
  for (const server of servers) {
    server.on("error", (error) => log("connection_failed", { code: codeOf(error) }))
    connections.watch(server)
  }
  const door = createConnectionLimiter(servers, settings, log)
  const health = healthServer(settings.SVC_BASE_URL, () => ({
    stopping: connections.isStopping(),
    connections: door.count(),
  }))
  const listeners: [Server, number][] = [
    [door.before(smtp), settings.SMTP_PORT],
    [door.before(smtps), settings.SMTPS_PORT],
    [health, settings.RELAY_HEALTH_PORT],
  ]
  const open = listeners.map(([server, port]) => listen(server, port, settings.RELAY_LISTEN))
  const [smtpPort = 0, smtpsPort = 0, healthPort = 0] = await Promise.all(open)
  const ports = { smtp: smtpPort, smtps: smtpsPort, health: healthPort }
  log("listening", ports)
  return {
    ports,
    reloadCertificate: () => reloadCertificate(servers, settings, log),
    async stop() {
      log("stopping", { connections: door.count() })
      await within(STOP_MS, connections.finish()).catch(() => {})
      const closed = listeners.map(([server]) => once(server.close(), "close"))
      connections.endAll()
      health.closeAllConnections()
      await within(FLUSH_MS, Promise.all(closed)).catch(() => {})
      log("stopped")
    },
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code ?? (error as Error).name

async function listen(server: Server, port: number, host?: string): Promise<number> {
  server.listen({ port, ...(host && { host }) })
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

function reloadCertificate(servers: readonly RelayServer[], settings: RelaySettings, log: Log) {
  try {
    const certificate = readCertificate(settings, log)
    for (const server of servers) server.updateSecureContext(certificate)
    log("certificate_read")
  } catch (error) {
    log("certificate_unreadable", { code: codeOf(error) })
  }
}

function readCertificate({ SMTP_TLS_CERT, SMTP_TLS_KEY, RELAY_NAME }: RelaySettings, log: Log) {
  if (SMTP_TLS_CERT && SMTP_TLS_KEY) {
    return { cert: readFileSync(SMTP_TLS_CERT), key: readFileSync(SMTP_TLS_KEY) }
  }
  log("self_signed_certificate", { name: RELAY_NAME })
  return makeCertificate(RELAY_NAME)
}
