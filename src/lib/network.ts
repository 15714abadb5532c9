/** The network of one customer: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(ip)
  if (mapped) return mapped[1] ?? ""
  if (!ip.includes(":")) return ip
  const [head = "", tail] = ip.split("::")
  const before = head.split(":")
  const after = tail?.split(":") ?? []
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0")
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return `${groups.map((group) => (Number.parseInt(group, 16) || 0).toString(16)).join(":")}::/64`
}
