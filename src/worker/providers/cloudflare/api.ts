import { zoneCandidates } from "../../../lib/address.ts"
import { withSignal } from "../../../lib/within.ts"
import type { Settings } from "../../platform/env.ts"

export type Method = "GET" | "POST" | "PUT" | "DELETE"

export type ApiAnswer<T> =
  | { ok: true; result: T }
  /** Status 0 means no token or no answer. */
  | { ok: false; status: number; reason: string }

const TIMEOUT_MS = 10_000

/** Calls Cloudflare's API with the installation's token. */
export async function callCloudflare<T>(
  settings: Settings,
  method: Method,
  path: string,
  body?: unknown,
): Promise<ApiAnswer<T>> {
  if (!settings.CLOUDFLARE_API_TOKEN) {
    return { ok: false, status: 0, reason: "CLOUDFLARE_API_TOKEN is not set." }
  }
  try {
    return await withSignal(TIMEOUT_MS, async (signal) => {
      const response = await fetch(`${settings.CLOUDFLARE_API_URL}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${settings.CLOUDFLARE_API_TOKEN}`,
          "content-type": "application/json",
        },
        signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const answer = (await response.json()) as { result: T; errors?: { message: string }[] }
      if (response.ok) return { ok: true, result: answer.result }
      const reason = answer.errors?.[0]?.message ?? `Cloudflare answered ${response.status}.`
      return { ok: false, status: response.status, reason }
    })
  } catch (error) {
    return { ok: false, status: 0, reason: `Cloudflare did not answer: ${String(error)}` }
  }
}

export interface Zone {
  id: string
  name: string
}

/** The account's zone of a name; null if there is none. */
export async function findZone(settings: Settings, name: string): Promise<ApiAnswer<Zone | null>> {
  for (const candidate of zoneCandidates(name)) {
    const zones = await callCloudflare<{ id: string }[]>(
      settings,
      "GET",
      `/zones?name=${candidate}`,
    )
    if (!zones.ok) return zones
    if (zones.result[0]) return { ok: true, result: { id: zones.result[0].id, name: candidate } }
  }
  return { ok: true, result: null }
}
