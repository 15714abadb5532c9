/** The network of one customer: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(ip)
  if (mapped) return mapped[1] ?? ""
  if (!ip.includes(":")) return ip
  return `${groupsOf(ip).slice(0, 4).join(":")}::/64`
}

/** An address that names nobody: an IPv4 address cut to /24, an IPv6 address to /48. */
export function cutNetwork(ip: string): string {
  const network = networkOf(ip)
  if (network.includes(":")) return `${network.split(":").slice(0, 3).join(":")}::/48`
  return `${network.split(".").slice(0, 3).join(".")}.0/24`
}

function groupsOf(ip: string): string[] {
  const [head = "", tail] = ip.split("::")
  const before = head.split(":")
  const after = tail?.split(":") ?? []
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0")
  return [...before, ...zeros, ...after].map((group) =>
    (Number.parseInt(group, 16) || 0).toString(16),
  )
}
