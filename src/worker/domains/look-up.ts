import { zoneCandidates } from "../../lib/address.ts"
import { resolve } from "../../lib/dns.ts"
import type { Ctx } from "../platform/context.ts"
import type { Settings } from "../platform/env.ts"
import { createIdentities } from "../providers/create-provider.ts"
import { isInAccount } from "./auto-dns.ts"
import type { DnsRecord } from "./contract.ts"
import { lookUp } from "./dns.ts"
import { CLOUDFLARE, dnsHost } from "./dns-hosts.ts"
import { getDomain } from "./domains.ts"
import { isProof } from "./proof.ts"
import { WINDOW_MS } from "./transition.ts"

const SHOWN_VALUES = 10

/** What DNS shows now. The domain stays as the last check left it. */
export async function lookUpDomain(ctx: Ctx, id: string) {
  const domain = await getDomain(ctx, id)
  const identities = createIdentities(ctx)
  const simulated = identities.length > 0 && identities.every((one) => one.simulated)
  const wanted = domain.records.filter((record) => !simulated || isProof(record))
  const isPending = domain.status === "pending"
  const [records, zone] = await Promise.all([
    Promise.all(wanted.map((record) => show(ctx.settings, record))),
    wanted.length > 0 ? findZone(ctx.settings, domain.name) : null,
  ])
  return {
    simulated,
    records,
    zone,
    isInAccount:
      isPending &&
      zone?.host?.name === CLOUDFLARE &&
      (await isInAccount(ctx.settings, domain.name)),
    nextCheckAt: domain.checkAt,
    checkedUntil: isPending ? (domain.windowStartedAt ?? domain.createdAt) + WINDOW_MS : null,
  }
}

async function show(settings: Settings, wanted: DnsRecord) {
  const { record, found } = await lookUp(settings, wanted)
  const { kind, name, ok } = record
  return { kind, name, found: found?.slice(0, SHOWN_VALUES) ?? null, ok: found !== null && ok }
}

/** The zone is the nearest parent with name servers. */
async function findZone(settings: Settings, domain: string) {
  const candidates = zoneCandidates(domain)
  const answers = await Promise.all(candidates.map((name) => resolve(settings, name, "NS")))
  for (const [index, answer] of answers.entries()) {
    if (!answer.ok) return null
    if (answer.answers.length === 0) continue
    const nameServers = answer.answers
      .map((server) => server.toLowerCase().replace(/\.$/, ""))
      .sort()
      .slice(0, SHOWN_VALUES)
    return { name: candidates[index] as string, nameServers, host: dnsHost(nameServers) }
  }
  return null
}
