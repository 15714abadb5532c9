import { END_CHALLENGES, isChallenged } from "../../lib/challenge.ts"
import type { Place } from "./account.ts"
import type { Change } from "./change.ts"
import type { Cloudflare } from "./cloudflare.ts"
import { AGAIN, Failure } from "./failure.ts"

interface CustomDomain {
  id: string
  hostname: string
  service: string
}

/** Attaches the URL's host to the Worker: Cloudflare writes its DNS record and its certificate. */
export async function addressChanges(
  cloudflare: Cloudflare,
  accountId: string,
  { host, name, place }: { host: string; name: string; place: Place },
): Promise<Change[]> {
  if ("workersDev" in place) return []
  const path = `/accounts/${accountId}/workers/domains`
  const known = await cloudflare.call<CustomDomain[]>(
    "Reading the Workers' domains",
    "GET",
    `${path}?hostname=${host}`,
  )
  const found = known.find(({ hostname }) => hostname === host)
  if (found?.service === name) return []
  if (found) {
    throw new Failure(
      `The Worker '${found.service}' serves ${host}.`,
      "Remove the domain from that Worker at https://dash.cloudflare.com/?to=/:account/workers, or deploy to another URL.",
    )
  }
  const body = { hostname: host, zone_id: place.zoneId, service: name, environment: "production" }
  const apply = () => cloudflare.call(`Attaching ${host}`, "PUT", path, body)
  return [{ says: `attaches ${host} to the Worker`, apply }]
}

const EVERY_MS = 5_000
const TRIES = 60

/** Waits until the DNS record and the certificate of a new host have reached this machine. */
export async function awaitHealth(
  baseUrl: string,
  { report, sleep }: { report(line: string): void; sleep(ms: number): Promise<void> },
): Promise<void> {
  let seen = "nothing"
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await askHealth(baseUrl)
    if (answer === "ok") return
    if (answer === CHALLENGED) {
      throw new Failure(
        `${baseUrl}/health is answered with a challenge of Cloudflare.`,
        END_CHALLENGES,
      )
    }
    seen = answer
    if (tries % 6 === 0) report(`waits for the certificate and DNS; so far: ${seen}`)
    await sleep(EVERY_MS)
  }
  throw new Failure(
    `${baseUrl}/health does not answer as Edgepost: ${seen}.`,
    `A new certificate may take 15 minutes, and a resolver that looked too early remembers for up to an hour. ${AGAIN}`,
  )
}

const CHALLENGED = "a challenge"

async function askHealth(baseUrl: string): Promise<string> {
  try {
    const response = await fetch(`${baseUrl}/health`, {
      redirect: "manual",
      signal: AbortSignal.timeout(10_000),
    })
    if (isChallenged(response)) return CHALLENGED
    const body = (await response.json().catch(() => null)) as { status?: string } | null
    return response.ok && body?.status === "ok" ? "ok" : `status ${response.status}`
  } catch (error) {
    const { cause, message } = error as Error
    return cause instanceof Error ? cause.message : message
  }
}
