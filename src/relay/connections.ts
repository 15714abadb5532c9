import { setTimeout as sleep } from "node:timers/promises"
import type { RelayServer } from "./connection.ts"

export const STOPPING = "4.3.2 The relay is restarting, try again"

/** Ends the connections of all servers: at a time limit, or when the relay stops. */
export function createConnections() {
  const servers: RelayServer[] = []
  const limits = new Map<string, NodeJS.Timeout>()
  const inHand = new Set<string>()
  let stopping = false

  const all = () => servers.flatMap((server) => [...server.connections])

  function unlimit(id: string): void {
    clearTimeout(limits.get(id))
    limits.delete(id)
  }

  return {
    watch: (server: RelayServer) => void servers.push(server),
    isStopping: () => stopping,
    /** Ends the session after this time, unless `unlimit` is called before. */
    limit(id: string, ms: number, text: string): void {
      const end = () =>
        all()
          .find((one) => one.id === id)
          ?.send(421, text)
      unlimit(id)
      limits.set(id, setTimeout(end, ms).unref())
    },
    unlimit,
    /** While the relay stops, the connection stays open until the work is done. */
    async hold<T>(id: string, work: Promise<T>): Promise<T> {
      inHand.add(id)
      return work.finally(() => inHand.delete(id))
    },
    /** Closes the idle connections, and the others after their message. Resolves when no message is left. */
    async finish(): Promise<void> {
      for (stopping = true; inHand.size > 0; await sleep(50)) {
        for (const one of all()) if (!inHand.has(one.id)) one.send(421, STOPPING)
      }
    },
    endAll(): void {
      for (const one of all()) one.send(421, STOPPING)
    },
  }
}

export type Connections = ReturnType<typeof createConnections>
