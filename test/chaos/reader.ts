import { setTimeout as sleep } from "node:timers/promises"
import type { Change, ChangeStream, Edgepost, Reset } from "./packed-client.ts"

export type Reader = ReturnType<typeof startReader>

const RETRY_MS = 300

/**
 * Follows the stream, and reads each email again that the stream names, as a page would. With
 * `reopens` it is closed now and then, and opened again with the last id.
 */
export function startReader(client: Edgepost, reopens: () => boolean) {
  const violations: string[] = []
  /** The status of each email that the stream has named, as read after its latest change. */
  const statuses = new Map<string, string>()
  const stale = new Set<string>()
  let last: number | undefined
  let connections = 0
  let resets = 0
  let changes = 0
  let isOver = false
  const open = () =>
    client.stream({
      ...(last !== undefined && { lastEventId: last }),
      onConnection: (isConnected) => {
        if (isConnected) connections++
      },
    })
  let stream = open()

  function note(change: Change | Reset) {
    changes++
    if (change.type === "reset") resets++
    else if (last !== undefined && change.sequence !== last + 1)
      violations.push(`The stream told ${change.sequence} after ${last}`)
    last = change.sequence
    if (change.type === "email") stale.add(change.id)
  }

  async function follow(following: ChangeStream) {
    for await (const change of following) {
      note(change)
      if (!reopens()) continue
      await following.return()
      break
    }
  }

  const reading = (async () => {
    while (!isOver) {
      await follow(stream)
      if (!isOver) stream = open()
    }
  })().catch((error) => void violations.push(`The stream ended: ${error}`))

  const refreshing = (async () => {
    while (!isOver || stale.size > 0) {
      const [id] = stale
      if (id === undefined) await sleep(50)
      else await refresh(id)
    }
  })()

  /** What changes while it is read is read again. */
  async function refresh(id: string) {
    stale.delete(id)
    try {
      statuses.set(id, (await client.emails.get(id)).status)
    } catch {
      stale.add(id)
      await sleep(RETRY_MS)
    }
  }

  return {
    statuses,
    violations,
    connected: stream.connected,
    figures: () => ({ connections, resets, changes }),
    isBusy: () => stale.size > 0,
    async close(): Promise<void> {
      isOver = true
      await stream.return()
      await Promise.all([reading, refreshing])
    },
  }
}
