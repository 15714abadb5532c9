import type { DnsRecord } from "../../domains/contract.ts"
import type { Settings } from "../../platform/env.ts"
import { ApiError, invalid, retryLater } from "../../platform/http/errors.ts"
import type { Identities } from "../provider.ts"
import { type ApiAnswer, callCloudflare, findZone } from "./api.ts"

/** A domain that Email Service sends from, as its API knows it. */
interface SendingDomain {
  tag: string
  name: string
  enabled?: boolean
}

interface SendingRecord {
  type?: string
  name?: string
  content?: string
  priority?: number
}

export const cloudflareIdentities = (settings: Settings): Identities => ({
  region: null,

  async create(name) {
    const zone = expect(await findZone(settings, name))
    if (zone === null) {
      const message = "Cloudflare Email Service sends from domains on Cloudflare's DNS only."
      throw invalid(["name"], message)
    }
    const path = `/zones/${zone.id}/email/sending/subdomains`
    const known = expect(await callCloudflare<SendingDomain[]>(settings, "GET", path))
    const domain =
      known.find((one) => one.name === name) ??
      expect(await callCloudflare<SendingDomain>(settings, "POST", path, { name }))
    const dns = await callCloudflare<SendingRecord[]>(settings, "GET", `${path}/${domain.tag}/dns`)
    return expect(dns).flatMap(toRecord)
  },

  async check(name) {
    const found = await find(settings, name)
    if (!found.ok) return { state: "unknown", reason: found.reason }
    if (found.result?.domain.enabled) return { state: "verified" }
    const reason = found.result
      ? "Cloudflare has not enabled sending from it yet."
      : "Cloudflare Email Service does not know it."
    return { state: "pending", reason, isMissing: found.result === null }
  },

  async remove(name) {
    const found = expect(await find(settings, name))
    if (!found) return
    const path = `/zones/${found.zone}/email/sending/subdomains/${found.domain.tag}`
    const removed = await callCloudflare(settings, "DELETE", path)
    if (!removed.ok && removed.status !== 404) throw toApiError(removed)
  },
})

async function find(
  settings: Settings,
  name: string,
): Promise<ApiAnswer<{ zone: string; domain: SendingDomain } | null>> {
  const zone = await findZone(settings, name)
  if (!zone.ok) return zone
  if (zone.result === null) return { ok: true, result: null }
  const path = `/zones/${zone.result.id}/email/sending/subdomains`
  const domains = await callCloudflare<SendingDomain[]>(settings, "GET", path)
  if (!domains.ok) return domains
  const domain = domains.result.find((one) => one.name === name)
  return { ok: true, result: domain ? { zone: zone.result.id, domain } : null }
}

function toRecord({ type, name, content = "", priority }: SendingRecord): Omit<DnsRecord, "ok">[] {
  if (!name || (type !== "TXT" && type !== "MX" && type !== "CNAME")) return []
  const value = content.replace(/^"|"$/g, "")
  const kind =
    type === "MX"
      ? "MAIL_FROM_MX"
      : name.startsWith("_dmarc.")
        ? "DMARC"
        : name.includes("._domainkey.")
          ? "DKIM"
          : "MAIL_FROM_SPF"
  return [{ kind, type, name, value, priority: priority ?? null }]
}

function expect<T>(answer: ApiAnswer<T>): T {
  if (answer.ok) return answer.result
  throw toApiError(answer)
}

function toApiError({ status, reason }: { status: number; reason: string }): ApiError {
  const lacksToken = status === 401 || status === 403 || reason.startsWith("CLOUDFLARE_API_TOKEN")
  if (lacksToken) return new ApiError("not_configured", reason)
  if (status === 429) return retryLater("rate_limited", reason, 30)
  return retryLater("unavailable", "Cloudflare could not be asked. Try again.", 30)
}
