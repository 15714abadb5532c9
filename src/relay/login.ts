import { setTimeout as sleep } from "node:timers/promises"
import { Edgepost, EdgepostError } from "../client/index.ts"
import { clientOf } from "./clients.ts"
import { countFailures } from "./failures.ts"
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
