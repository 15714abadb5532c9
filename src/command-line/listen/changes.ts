import type { ChangeStream } from "../../client/index.ts"

const AT_ONCE = 8

/**
 * Calls `handle` with the id of each email that changes, until the stream ends. If the email changes
 * again meanwhile, `handle` is called once more. The first failure ends the stream.
 */
export async function eachChangedEmail(
  stream: ChangeStream,
  handle: (id: string) => Promise<void>,
  onReset: () => void,
): Promise<void> {
  const waiting = new Set<string>()
  const busy = new Set<string>()
  const failures: unknown[] = []
  const work = async (id: string) => {
    busy.add(id)
    try {
      await handle(id)
    } catch (error) {
      failures.push(error)
      await stream.return()
    }
    busy.delete(id)
    startNext()
  }
  const startNext = () => {
    for (const id of waiting) {
      if (busy.size >= AT_ONCE || failures.length > 0) return
      if (busy.has(id)) continue
      waiting.delete(id)
      void work(id)
    }
  }
  for await (const change of stream) {
    if (change.type === "reset") onReset()
    if (change.type !== "email") continue
    waiting.add(change.id)
    startNext()
  }
  if (failures.length > 0) throw failures[0]
}
