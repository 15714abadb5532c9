import { isIPv6 } from "node:net"

/** Whom limits count as one client: an IPv4 address, or the /64 of an IPv6 address. */
export function clientOf(address = ""): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "")
  if (!isIPv6(plain)) return plain
  const [head = "", tail = ""] = plain.split("::")
  const groups = head.split(":").filter(Boolean)
  const missing = 8 - groups.length - tail.split(":").filter(Boolean).length
  const full = plain.includes("::") ? [...groups, ...Array(missing).fill("0")] : groups
  return [...full, ...tail.split(":")].slice(0, 4).join(":")
}
