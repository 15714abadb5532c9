import { zoneCandidates } from "../../../lib/address.ts"
import { resolve } from "../../../lib/dns.ts"
import { lookUp } from "../../../lib/dns-records.ts"
import type { Ctx } from "../../platform/context.ts"
import type { Settings } from "../../platform/env.ts"
import { createIdentities } from "../../providers/create-provider.ts"
import type { DnsRecord } from "../contract.ts"
import { getDomain } from "../domains.ts"
import { isProof } from "../proof.ts"
import { WINDOW_MS } from "../transition.ts"
import { isInAccount } from "./auto-dns.ts"

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

const CLOUDFLARE = "Cloudflare"

/** Who runs name servers under these domains, and where its users edit DNS. */
const HOSTS: readonly (readonly [suffix: string, name: string, url: string])[] = [
  ["ns.cloudflare.com", CLOUDFLARE, "https://dash.cloudflare.com"],
  ["domaincontrol.com", "GoDaddy", "https://dcc.godaddy.com"],
  ["registrar-servers.com", "Namecheap", "https://ap.www.namecheap.com"],
  ["googledomains.com", "Google Cloud DNS or Squarespace", "https://account.squarespace.com"],
  ["squarespacedns.com", "Squarespace", "https://account.squarespace.com"],
  ["digitalocean.com", "DigitalOcean", "https://cloud.digitalocean.com/networking/domains"],
  ["linode.com", "Linode", "https://cloud.linode.com/domains"],
  ["vercel-dns.com", "Vercel", "https://vercel.com/domains"],
  ["porkbun.com", "Porkbun", "https://porkbun.com/account/domainsSpeedy"],
  ["gandi.net", "Gandi", "https://admin.gandi.net"],
  ["ovh.net", "OVH", "https://www.ovh.com/manager"],
  ["ovh.ca", "OVH", "https://www.ovh.com/manager"],
  ["anycast.me", "OVH", "https://www.ovh.com/manager"],
  ["dnsimple.com", "DNSimple", "https://dnsimple.com/dashboard"],
  ["dnsimple-edge.net", "DNSimple", "https://dnsimple.com/dashboard"],
  ["wixdns.net", "Wix", "https://manage.wix.com"],
  ["dreamhost.com", "DreamHost", "https://panel.dreamhost.com"],
  ["name.com", "Name.com", "https://www.name.com/account/domain"],
  ["ns.hetzner.com", "Hetzner", "https://dns.hetzner.com"],
  ["ns.hetzner.de", "Hetzner", "https://dns.hetzner.com"],
  ["dnsmadeeasy.com", "DNS Made Easy", "https://cp.dnsmadeeasy.com"],
  ["inwx.de", "INWX", "https://www.inwx.de"],
  ["hover.com", "Hover", "https://www.hover.com/control_panel"],
]

/** Hosts whose name servers have many domains. */
const PATTERNS: readonly (readonly [pattern: RegExp, name: string, url: string])[] = [
  [/\.awsdns-\d+\./, "Amazon Route 53", "https://console.aws.amazon.com/route53"],
  [/\.azure-dns\./, "Azure DNS", "https://portal.azure.com"],
  [/\.ui-dns\./, "IONOS", "https://my.ionos.com"],
]

function dnsHost(nameServers: readonly string[]): { name: string; url: string } | null {
  for (const server of nameServers) {
    const found =
      HOSTS.find(([suffix]) => server.endsWith(`.${suffix}`)) ??
      PATTERNS.find(([pattern]) => pattern.test(server))
    if (found) return { name: found[1], url: found[2] }
  }
  return null
}
