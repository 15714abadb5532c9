import { wait, waitBefore } from "../../client/backoff.ts"
import { readJson } from "../../lib/json.ts"

/** Reads the API of another service. */
export type Get = <T>(path: string) => Promise<T>

interface Options {
  /** For messages. */
  service: string
  baseUrl: string
  authorization: string
  /** How many requests a second. */
  rate: number
  signal: AbortSignal
}

const MAX_TRIES = 8

export function createGet({ service, baseUrl, authorization, rate, signal }: Options): Get {
  let nextAt = 0

  /** Other programs share the account's limit, so the import stays below it. */
  async function pace(): Promise<void> {
    await wait(Math.max(0, nextAt - Date.now()), signal)
    nextAt = Date.now() + 1000 / rate
  }

  /** A broken connection counts as a failure of the server, which is tried again. */
  async function ask(path: string): Promise<Response> {
    try {
      const headers = { authorization, "user-agent": "edgepost-import" }
      return await fetch(`${baseUrl}${path}`, { headers, signal })
    } catch (error) {
      signal.throwIfAborted()
      return new Response(String((error as Error).message), { status: 503 })
    }
  }

  return async <T>(path: string) => {
    for (let tries = 1; ; tries++) {
      await pace()
      const reply = await ask(path)
      if (reply.ok) return (await reply.json()) as T
      const isPassing = reply.status === 429 || reply.status >= 500
      if (!isPassing || tries === MAX_TRIES) throw new Error(await reasonOf(service, path, reply))
      await reply.body?.cancel()
      await wait(waitBefore(tries - 1, reply.headers.get("retry-after")), signal)
    }
  }
}

async function reasonOf(service: string, path: string, reply: Response): Promise<string> {
  const text = await reply.text()
  const { message = text.slice(0, 200) } = (readJson(text) ?? {}) as { message?: unknown }
  return `${service} answered ${reply.status} to GET ${path}: ${message}`
}
