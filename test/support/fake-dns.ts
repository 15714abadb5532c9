import type { Handler } from "./outside.ts"

export const DNS_HOST = "cloudflare-dns.com"
const TYPES: Record<string, number> = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28 }

/** A resolver that knows what `zone` says, under `<type> <name>`. */
export function makeFakeDns() {
  const zone = new Map<string, string>()
  const handler: Handler = ({ url }) => {
    const { searchParams } = new URL(url)
    const type = searchParams.get("type") ?? ""
    const data = zone.get(`${type} ${searchParams.get("name")}`)
    return data === undefined
      ? Response.json({ Status: 3 })
      : Response.json({ Status: 0, Answer: [{ name: "", type: TYPES[type], TTL: 60, data }] })
  }
  return { zone, handler }
}
