import { wait, waitBefore } from "../../client/backoff.ts"
import { readJson } from "../../lib/json.ts"

/** The part of Resend's API that the import reads. */
export interface ResendApi {
  get<T>(path: string): Promise<T>
  /** Every record of a list. Reads one page after another. */
  all<T extends { id: string }>(path: string): AsyncGenerator<T, void, undefined>
}

interface Options {
  baseUrl: string
  apiKey: string
  /** How many requests a second. */
  rate: number
  signal: AbortSignal
}

const PAGE = 100
const MAX_TRIES = 8

export function createResendApi({ baseUrl, apiKey, rate, signal }: Options): ResendApi {
  let nextAt = 0

  /** Other programs share the account's limit, so the import stays below it. */
  async function pace(): Promise<void> {
    await wait(Math.max(0, nextAt - Date.now()), signal)
    nextAt = Date.now() + 1000 / rate
  }

  async function get<T>(path: string): Promise<T> {
    for (let tries = 1; ; tries++) {
      await pace()
      const reply = await ask(path)
      if (reply.ok) return (await reply.json()) as T
      const isPassing = reply.status === 429 || reply.status >= 500
      if (!isPassing || tries === MAX_TRIES) throw new Error(await reasonOf(path, reply))
      await reply.body?.cancel()
      await wait(waitBefore(tries - 1, reply.headers.get("retry-after")), signal)
    }
  }

  /** A broken connection counts as a failure of the server, which is tried again. */
  async function ask(path: string): Promise<Response> {
    try {
      const headers = { authorization: `Bearer ${apiKey}`, "user-agent": "edgepost-import" }
      return await fetch(`${baseUrl}${path}`, { headers, signal })
    } catch (error) {
      signal.throwIfAborted()
      return new Response(String((error as Error).message), { status: 503 })
    }
  }

  return {
    get,
    async *all(path) {
      for (let after: string | undefined; ; ) {
        const query = `limit=${PAGE}${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`
        const page = await get<{ data: { id: string }[]; has_more?: boolean }>(`${path}?${query}`)
        yield* page.data as never[]
        after = page.data.at(-1)?.id
        if (!page.has_more || after === undefined) return
      }
    },
  }
}

async function reasonOf(path: string, reply: Response): Promise<string> {
  const text = await reply.text()
  const { message = text.slice(0, 200) } = (readJson(text) ?? {}) as { message?: unknown }
  return `Resend answered ${reply.status} to GET ${path}: ${message}`
}
