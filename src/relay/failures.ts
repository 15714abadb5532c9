const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 30_000
const MEMORY_MS = 10 * 60_000
const MAX_REMEMBERED = 10_000

/**
 * Failed logins by client. Each one is answered twice as late as the one before, up to 30 seconds;
 * ten minutes without one, or a login that succeeds, start over. A valid key is never delayed:
 * others may share its address.
 */
export function countFailures() {
  const failures = new Map<string, { count: number; at: number }>()
  return {
    forget: (client: string) => void failures.delete(client),
    /** How many milliseconds to wait with the answer. */
    add(client: string): number {
      const known = failures.get(client)
      const count = known && Date.now() - known.at < MEMORY_MS ? known.count + 1 : 1
      // Deleted first, so that the map's order is that of the last failures.
      failures.delete(client)
      failures.set(client, { count, at: Date.now() })
      if (failures.size > MAX_REMEMBERED) failures.delete(failures.keys().next().value as string)
      return Math.min(FIRST_DELAY_MS * 2 ** (count - 1), MAX_DELAY_MS)
    },
  }
}
