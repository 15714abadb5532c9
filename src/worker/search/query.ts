import { normalizeAddress } from "../../lib/address.ts"
import { ID_PREFIXES, type IdKind, isId } from "../../lib/id.ts"
import { EMAIL_STATUSES, type EmailStatus } from "../emails/contract.ts"

/** The meaning of a search text. */
export type Asked =
  | { kind: "recent" }
  | { kind: "id"; of: IdKind; id: string }
  | { kind: "address"; address: string }
  | { kind: "status"; status: EmailStatus }
  | { kind: "tag"; tag: string }
  | { kind: "subject"; words: string[] }

/** A search uses at most this many words. */
const MAX_WORDS = 8

export function readAsked(text: string): Asked {
  const q = text.trim()
  if (q === "") return { kind: "recent" }
  const of = kindOf(q)
  if (of) return { kind: "id", of, id: `${ID_PREFIXES[of]}_${q.slice(q.indexOf("_") + 1)}` }
  const [, name, value = ""] = /^(status|tag):(.+)$/i.exec(q) ?? []
  const status = EMAIL_STATUSES.find((one) => one === value.trim().toLowerCase())
  if (name?.toLowerCase() === "status" && status) return { kind: "status", status }
  if (name?.toLowerCase() === "tag") return { kind: "tag", tag: value.trim() }
  const address = q.includes("@") ? normalizeAddress(q) : null
  if (address) return { kind: "address", address }
  return { kind: "subject", words: q.toLowerCase().split(/\s+/).slice(0, MAX_WORDS) }
}

const kindOf = (q: string) => (Object.keys(ID_PREFIXES) as IdKind[]).find((kind) => isId(kind, q))
