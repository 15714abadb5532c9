/** The reason why an installation stopped, and how to fix it. */
export class Failure extends Error {
  readonly remedy: string

  constructor(reason: string, remedy: string) {
    super(reason)
    this.remedy = remedy
  }
}

export const AGAIN = "Run the same command again: it goes on where it stopped."
export const OTHER_NAME = "Choose another name for the installation: npm run deploy -- URL NAME."

const TIMEOUT_MS = 60_000

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

export type Cloudflare = ReturnType<typeof createCloudflare>

/** Cloudflare's API for the commands. Each refusal becomes a `Failure`. */
export function createCloudflare({ url, token }: ApiAccess) {
  async function ask(doing: string, method: string, path: string, body?: unknown) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
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
    return { status: response.status, ok: response.ok, answer }
  }

  return {
    async call<T>(doing: string, method: string, path: string, body?: unknown): Promise<T> {
      const { ok, status, answer } = await ask(doing, method, path, body)
      if (!ok) throw refused(doing, path, status, answer)
      return answer.result as T
    },
    /** Null if it does not exist. */
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

export const FREE_PLAN = new Failure(
  "This account is on Workers Free, where Edgepost cannot work: a call may take 10 ms of CPU there, and the check of a password takes more than ten times as much; an invocation may make 50 requests, and one that sends mail makes hundreds.",
  "Switch to Workers Paid (5 dollars a month) at https://dash.cloudflare.com/?to=/:account/workers/plans and run the same command again.",
)

const TOO_MANY_QUEUES = `The account has as many queues as it may have: delete some at https://dash.cloudflare.com/?to=/:account/workers/queues, or ask Cloudflare for more. ${AGAIN}`

export const NO_TOKEN = `CLOUDFLARE_API_TOKEN is no API token: copy it again from https://dash.cloudflare.com/profile/api-tokens, or unset it and run 'npx wrangler login'. ${AGAIN}`

/** The first that fits a path names what a token needs for it. */
const PERMISSIONS: [RegExp, string][] = [
  [/\/d1\//, "D1 Edit"],
  [/\/queues/, "Queues Edit"],
  [/\/r2\//, "Workers R2 Storage Edit"],
  [/\/workers\/domains/, "Workers Scripts Edit, and Workers Routes Edit and DNS Edit for the zone"],
  [/\/workers\//, "Workers Scripts Edit"],
  [/^\/zones/, "Zone Read"],
]

const MEND_BY_CODE: Record<number, string> = {
  10042: `Enable R2 at https://dash.cloudflare.com/?to=/:account/r2/overview. ${AGAIN}`,
  // Headers that the API cannot read, and a token that does not exist.
  6003: NO_TOKEN,
  1000: NO_TOKEN,
  100116: "Another Worker serves this hostname: remove it there, or deploy to another URL.",
  100117: `The zone has DNS records of this name: delete them at https://dash.cloudflare.com/?to=/:account/:zone/dns/records, or deploy to another URL. ${AGAIN}`,
  100328: FREE_PLAN.remedy,
}

export function remedyOf(status: number, code?: number, path = ""): string {
  const known = code === undefined ? undefined : MEND_BY_CODE[code]
  if (known) return known
  const [, permission] = PERMISSIONS.find(([pattern]) => pattern.test(path)) ?? []
  if (status === 403 && permission) {
    return `Give CLOUDFLARE_API_TOKEN the permission ${permission}, or log in with 'npx wrangler login'. ${AGAIN}`
  }
  if (status === 401 || status === 403) {
    return `Log in again with 'npx wrangler login', or give CLOUDFLARE_API_TOKEN the permissions that docs/operations.md lists. ${AGAIN}`
  }
  if (status === 429) return `Wait five minutes. ${AGAIN}`
  return AGAIN
}
