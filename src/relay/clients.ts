import { isIPv6 } from "node:net"

/** The limits count an IPv4 address as one client, and a /64 of IPv6 addresses. */
export function clientOf(address = ""): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "")
  if (!isIPv6(plain)) return plain
  const [head = "", tail = ""] = plain.split("::")
  const groups = head.split(":").filter(Boolean)
  const missing = 8 - groups.length - tail.split(":").filter(Boolean).length
  const full = plain.includes("::") ? [...groups, ...Array(missing).fill("0")] : groups
  return [...full, ...tail.split(":")].slice(0, 4).join(":")
}
