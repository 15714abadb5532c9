import { createServer, type Server, type Socket } from "node:net"
import type { Log } from "./log.ts"
import { clientOf } from "./logins.ts"

interface Limits {
  RELAY_MAX_CONNECTIONS: number
  RELAY_MAX_CONNECTIONS_PER_ADDRESS: number
}

/** Counts connections from the moment they are accepted, before TLS, over all ports. */
export function openDoor(limits: Limits, log: Log) {
  const open = new Map<string, number>()
  let total = 0

  function isFull(client: string): boolean {
    if (total >= limits.RELAY_MAX_CONNECTIONS) return true
    return (open.get(client) ?? 0) >= limits.RELAY_MAX_CONNECTIONS_PER_ADDRESS
  }

  function enter(socket: Socket, client: string): void {
    total++
    open.set(client, (open.get(client) ?? 0) + 1)
    socket.once("close", () => {
      total--
      const left = (open.get(client) ?? 1) - 1
      if (left > 0) open.set(client, left)
      else open.delete(client)
    })
  }

  return {
    /** A listener that hands the admitted sockets on. Others hear `refusal`, where one can be said. */
    listener(target: Server, refusal?: string): Server {
      return createServer((socket) => {
        const client = clientOf(socket.remoteAddress)
        if (!isFull(client)) {
          enter(socket, client)
          target.emit("connection", socket)
          return
        }
        log("connection_refused", { open: total })
        socket.on("error", () => {})
        socket.setTimeout(1_000, () => socket.destroy())
        if (refusal) socket.end(refusal)
        else socket.destroy()
      })
    },
    get connections() {
      return total
    },
  }
}
