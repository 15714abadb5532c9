import type { Domain } from "../../client/index.ts"
import { END_CHALLENGES, isChallenged } from "../../lib/challenge.ts"
import type { Check } from "./checkup.ts"

const TIMEOUT_MS = 10_000
const MAX_DOMAINS = 20
/** The variable EDGEPOST_DNS_URL overrides this URL. */
const DNS_URL = "https://cloudflare-dns.com/dns-query"

interface Health {
  status?: unknown
  /** Numbers of databases, if there are several. */
  silentDatabases?: number[]
}

const ask = (url: URL) =>
  fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) })

const isLocal = ({ hostname }: URL) => /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)

/** Checks the base URL and the health of the service. */
export const checkService: Check = async ({ baseUrl }) => {
  const url = new URL(baseUrl)
  if (url.protocol !== "https:" && !isLocal(url)) {
    return `${baseUrl} is not encrypted, so others can read the API key: log in with https.`
  }
  const response = await ask(new URL("/health", url))
  if (isChallenged(response))
    return `Cloudflare answers /health with a challenge. ${END_CHALLENGES}`
  const health = (await response.json().catch(() => ({}))) as Health
  if (response.ok && health.status === "ok") return null
  if (health.silentDatabases?.length) {
    return `Of several databases, these do not answer: ${health.silentDatabases.join(", ")}. Their teams wait, the others are served: look at https://www.cloudflarestatus.com and 'npm run databases'.`
  }
  return `/health answers ${response.status} ${JSON.stringify(health)}: look into the Worker's log and its deployment.`
}

/** An installation on this machine may stay with the sandbox. */
export const checkSandbox: Check = async ({ client, baseUrl }) => {
  if (isLocal(new URL(baseUrl))) return null
  const { data } = await client.domains.list({ limit: 100 })
  return data.some(({ provider }) => provider === "sandbox")
    ? "This installation sends with the sandbox, so no mail leaves it: set PROVIDER as docs/providers.md says, and deploy."
    : null
}

/** Recipients open these addresses without a key or a sign-in. */
export const checkLinks: Check = async ({ baseUrl }) => {
  for (const path of ["/t/o/doctor", "/unsubscribe/doctor", "/preferences/doctor"]) {
    const response = await ask(new URL(path, baseUrl))
    await response.body?.cancel()
    if (response.status === 404 && response.headers.has("x-request-id")) continue
    if (isChallenged(response))
      return `Cloudflare answers ${path} with a challenge. ${END_CHALLENGES}`
    return `${path} answers ${response.status}, not from Edgepost: let recipients through to /t, /unsubscribe and /preferences without a sign-in.`
  }
  return null
}

/**
 * Looks up the DNS records of each domain from this machine. A failed look-up is ignored. The sandbox
 * sends no mail, so its domains need no records.
 */
export const checkDns: Check = async ({ client, env }) => {
  const { data } = await client.domains.list({ limit: MAX_DOMAINS })
  const missing: string[] = []
  const real = data.filter(({ provider }) => provider !== "sandbox")
  for (const domain of real) missing.push(...(await missingRecords(domain, env.EDGEPOST_DNS_URL)))
  if (missing.length === 0) return null
  return `Not in DNS: ${missing.join("; ")}. Publish them where the domain's DNS is kept.`
}

async function missingRecords({ records }: Domain, url = DNS_URL): Promise<string[]> {
  const { lookUpRecords } = await import("../../lib/dns-records.ts")
  const seen = await lookUpRecords({ DNS_OVER_HTTPS_URL: url }, records)
  return seen
    .filter(({ ok }) => !ok)
    .map(({ type, name, priority, value }) =>
      [type, name, priority, value].filter(Boolean).join(" "),
    )
}
