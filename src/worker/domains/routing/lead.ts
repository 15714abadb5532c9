import { lookUpRecords } from "../../../lib/dns-records.ts"
import type { Settings } from "../../platform/env.ts"
import {
  isOfCloudflare,
  leadsTo,
  type MailServer,
  openRouting,
  type Routing,
  RoutingFault,
  type RoutingRule,
} from "../../providers/cloudflare/email-routing.ts"
import type { DnsRecord } from "../contract.ts"
import type { FoundRouting } from "../table.ts"

interface At {
  settings: Settings
  now(): number
}

/** Our rules have a name that begins with this. */
const RULE_NAME = "Edgepost"
const DROPS: RoutingRule = { enabled: false, actions: [{ type: "drop" }] }

/** Somebody else takes the mail of the name. */
export class ForeignServers extends RoutingFault {
  readonly mx: string[]

  constructor(name: string, mx: string[]) {
    super(
      `Mail to ${name} goes to ${mx.join(", ")}. Nothing was changed. Receive at a subdomain instead: add the domain reply.${name}.`,
    )
    this.mx = mx
  }
}

/** Throws if mail to the name cannot be led here. Changes nothing. */
export async function findWay(
  at: At,
  name: string,
): Promise<{ routing: Routing; servers: MailServer[] }> {
  const routing = await openRouting(at, name)
  if (!routing)
    throw new RoutingFault(
      `The zone of ${name} is not in this installation's account at Cloudflare. Receive by forwarding, or add the zone there.`,
    )
  const servers = await routing.readMailServers()
  const others = servers.filter((server) => !isOfCloudflare(server))
  if (others.length === 0) return { routing, servers }
  const hosts = others.map(({ content }) => content)
  throw new ForeignServers(name, hosts)
}

interface Led {
  name: string
  /** Those of the inboxes. */
  addresses: readonly string[]
  found: FoundRouting | null
}

/**
 * Leads mail to the name here, and answers the records and what is still in the way. Cloudflare has a catch-all
 * for the zone's own name alone, so a subdomain has a rule for each inbox. `keep` stores what was found before
 * anything is changed.
 */
export async function leadMail(
  at: At,
  { name, addresses, found }: Led,
  keep: (found: FoundRouting) => Promise<void>,
): Promise<{ records: DnsRecord[]; fault: RoutingFault | null }> {
  const { routing, servers } = await findWay(at, name)
  const { isApex } = routing
  const worker = at.settings.WORKER_NAME
  const catchAll = isApex ? await routing.readCatchAll() : null
  const isEnabled = servers.length > 0
  if (!found) await keep({ isEnabled, catchAll })
  if (!isEnabled) await routing.enable()
  if (isApex && !(catchAll && leadsTo(worker, catchAll)))
    await routing.writeCatchAll(ruleTo(worker, name))
  const rules = await readRules(routing, name)
  if (!isApex) await leadAddresses(routing, { worker, rules, addresses })
  const present = isEnabled ? servers : await routing.readMailServers()
  const wanted = present.map((server) => toRecord(name, server))
  const records = await lookUpRecords(at.settings, wanted)
  const taken = addresses.find((address) =>
    rules.some((rule) => addressOf(rule) === address && rule.enabled && !leadsTo(worker, rule)),
  )
  return { records, fault: findFault(name, { isApex, addresses, taken, records }) }
}

/** Puts back what was found. A name below may still need what the zone has enabled. */
export async function restoreRouting(
  at: At,
  { name, found, isUsedBelow }: { name: string; found: FoundRouting; isUsedBelow: boolean },
): Promise<void> {
  const routing = await openRouting(at, name)
  if (!routing) return
  const worker = at.settings.WORKER_NAME
  if (routing.isApex) {
    const catchAll = await routing.readCatchAll()
    if (catchAll && leadsTo(worker, catchAll)) await routing.writeCatchAll(found.catchAll ?? DROPS)
  } else {
    const rules = await readRules(routing, name)
    for (const rule of rules.filter((one) => isOurs(worker, one))) await routing.deleteRule(rule)
  }
  if (found.isEnabled || isUsedBelow) return
  if ((await routing.readMailServers()).some(isOfCloudflare)) await routing.disable()
}

async function leadAddresses(
  routing: Routing,
  {
    worker,
    rules,
    addresses,
  }: { worker: string; rules: readonly RoutingRule[]; addresses: readonly string[] },
): Promise<void> {
  const known = new Set(rules.map(addressOf))
  for (const address of addresses) {
    if (known.has(address) || address.startsWith("*")) continue
    const matchers = [{ type: "literal", field: "to", value: address }]
    await routing.addRule({ ...ruleTo(worker, address), matchers })
  }
  for (const rule of rules) {
    if (isOurs(worker, rule) && !addresses.includes(addressOf(rule))) await routing.deleteRule(rule)
  }
}

const readRules = async (routing: Routing, name: string) =>
  (await routing.listRules()).filter((rule) => addressOf(rule).endsWith(`@${name}`))

const addressOf = ({ matchers }: RoutingRule) =>
  matchers?.find(({ type }) => type === "literal")?.value?.toLowerCase() ?? ""

const ruleTo = (worker: string, about: string): RoutingRule => ({
  name: `${RULE_NAME} ${about}`,
  enabled: true,
  actions: [{ type: "worker", value: [worker] }],
})

const isOurs = (worker: string, rule: RoutingRule) =>
  rule.name?.startsWith(RULE_NAME) === true && leadsTo(worker, rule)

const toRecord = (name: string, { content, priority }: MailServer): DnsRecord => ({
  kind: "RECEIVING_MX",
  type: "MX",
  name,
  value: content.replace(/\.$/, ""),
  priority: priority ?? null,
  ok: false,
})

interface Outcome extends Pick<Led, "addresses"> {
  isApex: boolean
  /** The address of an inbox that another rule leads elsewhere. */
  taken: string | undefined
  records: readonly DnsRecord[]
}

function findFault(name: string, { isApex, addresses, taken, records }: Outcome) {
  const catchAll = `*@${name}`
  if (!isApex && addresses.includes(catchAll))
    return new RoutingFault(
      `Cloudflare has no catch-all for a subdomain, so ${catchAll} gets nothing: make an inbox for each address instead.`,
    )
  if (taken)
    return new RoutingFault(
      `Another rule of Email Routing takes the mail of ${taken}: delete it at Cloudflare.`,
    )
  if (records.length > 0 && records.every(({ ok }) => ok)) return null
  return new RoutingFault(`DNS does not show the MX records of ${name} yet.`, { mayPass: true })
}
