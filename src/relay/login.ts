import { setTimeout as sleep } from "node:timers/promises"
import { Edgepost, EdgepostError } from "../client/index.ts"
import { clientOf } from "./clients.ts"
import { refusal } from "./replies.ts"
import { persist } from "./send.ts"

/** The user of a session of smtp-server. */
export interface User {
  client: Edgepost
  team: string
}

/** The password is an API key. Each refusal of a client takes longer than the last one. */
export function createLogin(baseUrl: string) {
  const failures = countFailures()
  return async (password: string, remoteAddress: string): Promise<User> => {
    const address = clientOf(remoteAddress)
    try {
      const user = await readUser(baseUrl, password)
      failures.forget(address)
      return user
    } catch (error) {
      if (!isUnauthorized(error)) throw error
      await sleep(failures.add(address), undefined, { ref: false })
      throw refusal(535, "5.7.8 The password is not a valid API key")
    }
  }
}

export const isUnauthorized = (error: unknown) =>
  error instanceof EdgepostError && error.code === "unauthorized"

async function readUser(baseUrl: string, password: string): Promise<User> {
  // An HTTP header cannot contain this text, so it is not a key.
  if (!/^[!-~]+$/.test(password)) {
    throw new EdgepostError({ code: "unauthorized", message: "Not an API key", status: 401 })
  }
  const client = new Edgepost({ apiKey: password, baseUrl, maxRetries: 0 })
  const { team } = await persist(() => client.me())
  return { client, team: team.id }
}

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 30_000
const MEMORY_MS = 10 * 60_000
const MAX_REMEMBERED = 10_000

/**
 * Counts failed logins by client. The reply to each is delayed twice as long as the last one, up to
 * 30 seconds. Ten minutes without a failure, or a successful login, reset the delay. A valid key is
 * never delayed, since its address may have other users.
 */
function countFailures() {
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
