import { setTimeout as sleep } from "node:timers/promises"
import { AGAIN, Failure } from "./failure.ts"
import { remedyOf, TOO_MANY_QUEUES } from "./remedies.ts"

const TIMEOUT_MS = 60_000

/** After 1,200 calls in five minutes, all of them are refused for five minutes. */
const TRIES = 10
const WAIT_SECONDS = 60

interface Answer {
  result: unknown
  errors?: { code?: number; message: string }[]
  result_info?: { cursor?: string; total_pages?: number }
}

export interface ApiAccess {
  /** Such as `https://api.cloudflare.com/client/v4`. */
  url: string
  token: string
}

/** Each refusal becomes a `Failure`. */
export interface Cloudflare {
  call<T>(doing: string, method: string, path: string, body?: unknown): Promise<T>
  /** Null if it does not exist. */
  find<T>(doing: string, path: string): Promise<T | null>
  list<T>(doing: string, path: string): Promise<T[]>
  /** The same for buckets of a jurisdiction: https://developers.cloudflare.com/r2/reference/data-location/ */
  bucketsOf(jurisdiction?: string): Cloudflare
}

/** Cloudflare's API for the commands. */
export function createCloudflare(access: ApiAccess, jurisdiction?: string): Cloudflare {
  const { url, token } = access
  async function ask(doing: string, method: string, path: string, body?: unknown) {
    for (let tries = 1; ; tries++) {
      const asked = await askOnce(doing, method, path, body)
      if (asked.status !== 429 || tries === TRIES) return asked
      await sleep(asked.waitSeconds * 1_000)
    }
  }

  async function askOnce(doing: string, method: string, path: string, body?: unknown) {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(jurisdiction && { "cf-r2-jurisdiction": jurisdiction }),
    }
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw new Failure(
        `${doing}: Cloudflare's API did not answer (${error.message}).`,
        `Check the connection. ${AGAIN}`,
      )
    })
    const answer = (await response.json().catch(() => ({}))) as Partial<Answer>
    const waitSeconds = Number(response.headers.get("retry-after")) || WAIT_SECONDS
    return { status: response.status, ok: response.ok, answer, waitSeconds }
  }

  return {
    async call<T>(doing: string, method: string, path: string, body?: unknown): Promise<T> {
      const { ok, status, answer } = await ask(doing, method, path, body)
      if (!ok) throw refused(doing, path, status, answer)
      return answer.result as T
    },
    async find<T>(doing: string, path: string): Promise<T | null> {
      const { ok, status, answer } = await ask(doing, "GET", path)
      if (status === 404) return null
      if (!ok) throw refused(doing, path, status, answer)
      return answer.result as T
    },
    async list<T>(doing: string, path: string): Promise<T[]> {
      const found: T[] = []
      for (let page = 1, pages = 1; page <= pages; page++) {
        const { ok, status, answer } = await ask(doing, "GET", `${path}?page=${page}&per_page=100`)
        if (!ok) throw refused(doing, path, status, answer)
        found.push(...((answer.result ?? []) as T[]))
        pages = answer.result_info?.total_pages ?? 1
      }
      return found
    },
    bucketsOf: (jurisdiction) => createCloudflare(access, jurisdiction),
  }
}

function refused(
  doing: string,
  path: string,
  status: number,
  { errors = [] }: Partial<Answer>,
): Failure {
  const [{ code, message } = { code: undefined, message: "" }] = errors
  const reason = message.replace(/\s+/g, " ").replace(/\.$/, "") || `status ${status}`
  const shown = code === undefined ? reason : `${reason} [code: ${code}]`
  const isLimit = path.endsWith("/queues") && /limit|maximum|exceed|too many/i.test(message)
  return new Failure(
    `${doing}: ${shown}.`,
    isLimit ? TOO_MANY_QUEUES : remedyOf(status, code, path),
  )
}
