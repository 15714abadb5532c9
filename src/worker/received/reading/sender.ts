import { domainOf } from "../../../lib/address.ts"
import { senderState } from "../../../lib/dkim/sender-state.ts"
import { verifyDkim } from "../../../lib/dkim/verify.ts"
import { resolve } from "../../../lib/dns.ts"
import { HOUR_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import type { NamedAddress, Sender } from "../contract.ts"

const ASKS_DNS_FOR_MS = HOUR_MS

/**
 * Who sent a message, by its DKIM signatures: RFC 6376 and RFC 8463. Null while DNS does not answer and
 * the message is younger than an hour: then ask again.
 */
export async function readSender(
  { settings, now }: Work,
  { bytes, from, createdAt }: { bytes: Uint8Array; from: NamedAddress | null; createdAt: number },
): Promise<Sender | null> {
  const resolveTxt = async (name: string) => {
    const found = await resolve(settings, name, "TXT")
    return found.ok ? found.answers : null
  }
  const dkim = await verifyDkim(bytes, resolveTxt, new Date(now()))
  const state = from ? senderState(domainOf(from.email), dkim) : "unverified"
  const isUnsettled = state !== "verified" && dkim.some(({ result }) => result === "temperror")
  if (isUnsettled && now() < createdAt + ASKS_DNS_FOR_MS) return null
  const holding = dkim.find(
    (one) => from && senderState(domainOf(from.email), [one]) === "verified",
  )
  return { state, domain: holding?.domain ?? null, dkim }
}
