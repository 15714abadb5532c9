const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 30_000
const MEMORY_MS = 10 * 60_000
const MAX_REMEMBERED = 10_000

/**
 * Counts failed logins by client. The reply to each is delayed twice as long as the last one, up to
 * 30 seconds. Ten minutes without a failure, or a successful login, reset the delay. A valid key is
 * never delayed, since its address may have other users.
 */
export function countFailures() {
  const failures = new Map<string, { count: number; at: number }>()
  return {
    forget: (client: string) => void failures.delete(client),
    /** Counts a failure, and answers how many milliseconds to delay the reply. */
    add(client: string): number {
      const known = failures.get(client)
      const count = known && Date.now() - known.at < MEMORY_MS ? known.count + 1 : 1
      // Deleted first, so that the map is ordered by the time of the last failure.
      failures.delete(client)
      failures.set(client, { count, at: Date.now() })
      if (failures.size > MAX_REMEMBERED) failures.delete(failures.keys().next().value as string)
      return Math.min(FIRST_DELAY_MS * 2 ** (count - 1), MAX_DELAY_MS)
    },
  }
}
