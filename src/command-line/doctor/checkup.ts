import type { Edgepost } from "../../client/index.ts"
import { HOUR_MS, MINUTE_MS } from "../../lib/time.ts"
import type { Terminal } from "../terminal/terminal.ts"

const CLOCK_MAY_DIFFER_MS = 2 * MINUTE_MS
const LATE_MS = 5 * MINUTE_MS
const CONNECT_MS = 10_000

export interface Installation {
  client: Edgepost
  baseUrl: string
  env: Terminal["env"]
}

/** Null if all is well, else what is wrong and how to fix it. */
export type Check = (patient: Installation) => Promise<string | null>

export const checkKey: Check = async ({ client }) => {
  const { key } = await client.me()
  return key.permission === "full"
    ? null
    : "The key may only send: log in with a full key to use the other commands."
}

/** Receivers refuse signatures if the clocks differ by more than five minutes. */
export const checkClock: Check = async ({ client }) => {
  const { response } = await client.withResponse(client.me())
  const time = Date.parse(response.headers.get("date") ?? "")
  if (Number.isNaN(time)) return null
  const seconds = Math.round((Date.now() - time) / 1000)
  if (Math.abs(seconds) * 1000 < CLOCK_MAY_DIFFER_MS) return null
  return `This machine's clock is ${seconds} s away from the server's: let it follow a time server.`
}

export const checkDomains: Check = async ({ client }) => {
  const { data } = await client.domains.list({ limit: 100 })
  if (data.length === 0) return "There is no domain to send from: run edgepost domains add."
  const wrong = data.filter(({ status }) => status !== "verified")
  if (wrong.length === 0) return null
  const told = wrong.map(({ name, status, lastError }) =>
    [`${name} is ${status}`, lastError?.replace(/\.$/, "")].filter(Boolean).join(": "),
  )
  return `${told.join("; ")}. Publish the records that 'edgepost domains verify NAME' shows, then run it again.`
}

/** If half of the last hour's emails failed, the provider is the likely cause. */
export const checkProvider: Check = async ({ client }) => {
  const { data } = await client.emails.list({ limit: 100 })
  const tried = data.filter(
    ({ status, lastError, createdAt }) =>
      Date.now() - Date.parse(createdAt) < HOUR_MS &&
      status !== "cancelled" &&
      (lastError !== null || !["queued", "scheduled", "sending"].includes(status)),
  )
  const failed = tried.filter(({ status, lastError }) => lastError !== null && status !== "bounced")
  const [newest] = failed
  if (!newest || failed.length < tried.length / 2) return null
  const { summary, cause, next } = await client.emails.explain(newest.id)
  return `${failed.length} of ${tried.length} emails of the last hour failed. ${cause?.meaning ?? summary} ${next[0] ?? ""}`
}

/** Looks at transactional mail only: campaign mail may wait long for the rate limit. */
export const checkQueue: Check = async ({ client }) => {
  const { data } = await client.emails.list({ status: "queued", limit: 100 })
  const late = data.filter(
    ({ campaignId, scheduledAt, createdAt }) => !campaignId && isLate(scheduledAt ?? createdAt),
  )
  if (late.length === 0) return null
  return `${late.length} emails are queued for over 5 minutes, ${late.at(-1)?.id} too: run edgepost emails explain on it, and look at the Worker's queues.`
}

export const checkCron: Check = async ({ client }) => {
  const { data } = await client.emails.list({ status: "scheduled", limit: 100 })
  const late = data.filter(({ scheduledAt }) => scheduledAt && isLate(scheduledAt))
  if (late.length === 0) return null
  return `${late.at(-1)?.id} was due over 5 minutes ago: look whether the Worker's cron runs each minute.`
}

export const checkStream: Check = async ({ client }) => {
  const stream = client.stream({ signal: AbortSignal.timeout(CONNECT_MS) })
  const timeout = new Promise<string>((resolve) => {
    const say = () => resolve("It does not open: a proxy between may hold back event streams.")
    setTimeout(say, CONNECT_MS).unref()
  })
  try {
    return await Promise.race([stream.connected.then(() => null), timeout])
  } finally {
    await stream.return()
  }
}

const isLate = (time: string) => Date.now() - Date.parse(time) > LATE_MS
