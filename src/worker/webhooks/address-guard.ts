import { isIPv4, isIPv6 } from "node:net"
import { isResolverUp, resolve } from "../../lib/dns.ts"

/** Names of local machines and networks. */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal)$/

/** The IANA special-purpose registry of IPv4, with multicast and reserved addresses. */
const SPECIAL_IPV4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private use
  "100.64.0.0/10", // shared address space
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link local
  "172.16.0.0/12", // private use
  "192.0.0.0/24", // IETF protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private use
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
]

/** Global unicast of IPv6. Loopback, mapped, NAT64, local and multicast addresses lie outside. */
const GLOBAL_IPV6 = "2000::/3"

/** The parts of global unicast in the IANA special-purpose registry. */
const SPECIAL_IPV6 = [
  "2001::/23", // IETF protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
]

/** Where a URL leads. `unknown`: its name has no address. `unresolved`: the resolver does not answer. */
type Target =
  | { kind: "public" }
  | { kind: "private" }
  | { kind: "unknown" | "unresolved"; reason: string }

interface GuardSettings {
  DNS_OVER_HTTPS_URL: string
  WEBHOOK_ALLOW_PRIVATE: boolean
}

/**
 * Checks the host as the URL parser spells it, then every address of its name. The name can still
 * change before the request: the runtime's own guard covers that, since it reaches no private network.
 */
export async function findTarget(settings: GuardSettings, url: string): Promise<Target> {
  if (settings.WEBHOOK_ALLOW_PRIVATE) return { kind: "public" }
  const { protocol, hostname } = new URL(url)
  const host = hostname.replace(/^\[|\]$|\.$/g, "")
  if (protocol !== "https:") return { kind: "private" }
  if (isIPv4(host) || isIPv6(host)) return { kind: isPublicAddress(host) ? "public" : "private" }
  if (isNearby(host)) return { kind: "private" }
  return findNamed(settings, host)
}

/** No public name has an empty label, and some resolvers ignore an empty label. */
function isNearby(host: string): boolean {
  const labels = host.split(".")
  return labels.length === 1 || labels.includes("") || PRIVATE_NAMES.test(host)
}

async function findNamed(settings: GuardSettings, host: string): Promise<Target> {
  const resolutions = await Promise.all([
    resolve(settings, host, "A"),
    resolve(settings, host, "AAAA"),
  ])
  const addresses = resolutions.flatMap((one) => (one.ok ? one.answers : []))
  if (!addresses.every(isPublicAddress)) return { kind: "private" }
  const failed = resolutions.find((one) => !one.ok)
  if (failed) {
    const kind = (await isResolverUp(settings)) ? "unknown" : "unresolved"
    return { kind, reason: failed.reason }
  }
  return addresses.length > 0
    ? { kind: "public" }
    : { kind: "unknown", reason: `${host} has no address.` }
}

function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !SPECIAL_IPV4.some((range) => isWithin(range, address))
  if (!isIPv6(address)) return false
  return isWithin(GLOBAL_IPV6, address) && !SPECIAL_IPV6.some((range) => isWithin(range, address))
}

function isWithin(range: string, address: string): boolean {
  const [network = "", length] = range.split("/")
  return toBits(address).startsWith(toBits(network).slice(0, Number(length)))
}

/** An address as a string of zeros and ones, 32 or 128. */
const toBits = (address: string) =>
  isIPv4(address) ? toBinary(address.split(".").map(Number), 8) : toBinary(toGroups(address), 16)

const toBinary = (numbers: readonly number[], width: number) =>
  numbers.map((number) => number.toString(2).padStart(width, "0")).join("")

/** The eight groups of an IPv6 address, its zone left out. */
function toGroups(address: string): number[] {
  const plain = address
    .replace(/%.*$/, "")
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number)
      return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
    })
  const [head = "", tail] = plain.split("::")
  const read = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => parseInt(group, 16))
  const before = read(head)
  const after = read(tail ?? "")
  return [...before, ...new Array(8 - before.length - after.length).fill(0), ...after]
}
