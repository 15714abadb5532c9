import { EdgepostError } from "./error.ts"

export interface EdgepostOptions {
  /** `svc_live_…`. Default: the environment variable `SVC_API_KEY`. */
  apiKey?: string | undefined
  /** The URL of the installation, with or without `/api/v1`. Default: the environment variable `SVC_BASE_URL`. */
  baseUrl?: string | undefined
  /** How often a failed call is repeated, if repeating is safe. Default: 2. */
  maxRetries?: number | undefined
  /** How many milliseconds one try may take, with its body. Default: 30,000. */
  timeoutMs?: number | undefined
  /**
   * `automatic`: each send without an idempotency key gets a random one, so that the client may
   * repeat it after a broken connection. Default: `given`, only keys that the caller gives.
   */
  idempotencyKeys?: "given" | "automatic" | undefined
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch | undefined
}

export interface Config {
  apiKey: string
  /** The base URL with `/api/v1`. */
  apiUrl: string
  maxRetries: number
  timeoutMs: number
  idempotencyKeys: "given" | "automatic"
  fetch: typeof fetch
}

export function readConfig(options: EdgepostOptions): Config {
  const apiKey = (options.apiKey ?? readEnvironment("SVC_API_KEY"))?.trim()
  const baseUrl = (options.baseUrl ?? readEnvironment("SVC_BASE_URL"))?.trim()
  if (!apiKey) throw missing("an API key", "apiKey", "SVC_API_KEY")
  // The error of fetch would quote the key.
  if (!/^[!-~]+$/.test(apiKey)) throw wrong("apiKey has characters that no API key has.")
  if (!baseUrl) throw missing("the base URL", "baseUrl", "SVC_BASE_URL")
  return {
    apiKey,
    apiUrl: toApiUrl(baseUrl),
    maxRetries: options.maxRetries ?? 2,
    timeoutMs: options.timeoutMs ?? 30_000,
    idempotencyKeys: options.idempotencyKeys ?? "given",
    // The global fetch fails if it is called as a method of another object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  }
}

function toApiUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw wrong("baseUrl must be an http(s) URL.")
  // fetch refuses such a URL, and quotes the password.
  if (url.username || url.password) {
    throw wrong("baseUrl must be an http(s) URL, and have no password.")
  }
  if (/[?#]/.test(baseUrl)) throw wrong("baseUrl must have no query and no hash.")
  return `${baseUrl.replace(/(\/api\/v1)?\/*$/, "")}/api/v1`
}

/** Browsers and Workers without `nodejs_compat` have no `process`. */
function readEnvironment(name: string): string | undefined {
  const { process } = globalThis as {
    process?: { env?: Record<string, string | undefined> }
  }
  return process?.env?.[name]
}

const wrong = (message: string) => new EdgepostError({ code: "configuration", message })

const missing = (what: string, option: string, variable: string) =>
  wrong(`Edgepost needs ${what}: pass \`${option}\` or set ${variable}.`)
