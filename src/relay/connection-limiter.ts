import { createServer, type Server } from "node:net"
import { clientOf } from "./clients.ts"
import type { RelayServer } from "./connection.ts"
import type { Log } from "./log.ts"
import type { RelaySettings } from "./settings.ts"

type Limits = Pick<RelaySettings, "RELAY_MAX_CONNECTIONS" | "RELAY_MAX_CONNECTIONS_PER_ADDRESS">

/** Limits the connections of all servers together, including those in a TLS handshake. */
export function createConnectionLimiter(servers: readonly RelayServer[], limits: Limits, log: Log) {
  const connections = () =>
    servers.flatMap((server) => [...server.connections, ...server._pendingSockets.keys()])

  function isFull(client: string): boolean {
    const all = connections()
    if (all.length >= limits.RELAY_MAX_CONNECTIONS) return true
    const own = all.filter(({ remoteAddress }) => clientOf(remoteAddress) === client)
    return own.length >= limits.RELAY_MAX_CONNECTIONS_PER_ADDRESS
  }

  return {
    /** Listens in place of the server, and passes a connection on if there is room. */
    before: (server: RelayServer): Server =>
      createServer((socket) => {
        if (!isFull(clientOf(socket.remoteAddress))) {
          server.server.emit("connection", socket)
          return
        }
        log("connection_refused", { connections: connections().length })
        socket.on("error", () => {})
        socket.setTimeout(1_000, () => socket.destroy())
        // A reply in plain text is not possible before the TLS handshake.
        if (server.options.secure) socket.destroy()
        else socket.end("421 4.7.0 Too many connections, try again later\r\n")
      }),
    count: () => connections().length,
  }
}
