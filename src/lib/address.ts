import { domainToASCII } from "node:url"
import { CONTROL_CHARACTERS } from "./text.ts"

/** A mailbox of RFC 5322: an address and an optional name. */
export interface Mailbox {
  address: string
  name?: string
}

const ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
/** Longer than any valid address: longer text is refused at once. */
const MAX_CHARACTERS = 1_000

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** Reads `a@b.c` or `Name <a@b.c>`; null for anything else. The address becomes lower case. */
export function parseMailbox(text: string): Mailbox | null {
  if (CONTROL_CHARACTERS.test(text)) return null
  const trimmed = text.trim()
  const start = trimmed.endsWith(">") ? trimmed.lastIndexOf("<") : -1
  const address = normalizeAddress(start < 0 ? trimmed : trimmed.slice(start + 1, -1))
  if (!address) return null
  const name = unquote(trimmed.slice(0, Math.max(start, 0)).trimEnd())
  return name === null ? null : name === "" ? { address } : { address, name }
}

/** In lower case, with the domain in punycode; null if the text is not an address. */
export function normalizeAddress(text: string): string | null {
  if (text.length > MAX_CHARACTERS) return null
  const at = text.lastIndexOf("@")
  const local = text.slice(0, at)
  const domain = normalizeDomain(text.slice(at + 1))
  if (at < 1 || !domain || local.length > 64 || !ATOM.test(local)) return null
  const address = `${local.toLowerCase()}@${domain}`
  return address.length <= 254 ? address : null
}

/** The start of an address, or `@domain`, in the form of stored addresses. */
export function normalizePart(text: string): string {
  const part = text.toLowerCase()
  if (!part.startsWith("@")) return normalizeAddress(part) ?? part
  return `@${normalizeDomain(part.slice(1)) ?? part.slice(1)}`
}

/**
 * The address in the text of a mailbox as mail programs write it, with a name, brackets or a comment;
 * null if there is none.
 */
export function findAddress(text: string): string | null {
  const [, inBrackets] = /<([^<>]*)>[^<>]*$/.exec(text) ?? []
  return normalizeAddress((inBrackets ?? text.replace(/\([^()]*\)/g, "")).trim())
}

/** In lower case and punycode, without a final dot; null without at least two valid labels. */
export function normalizeDomain(text: string): string | null {
  if (text.length > MAX_CHARACTERS) return null
  // `domainToASCII` follows URL rules: it stops at a slash and decodes percent signs. It also decides where a
  // name may have a joiner.
  if (!/^[\p{L}\p{M}\p{N}\p{Join_Control}.-]+$/u.test(text)) return null
  const name = domainToASCII(text.replace(/\.$/, ""))
  const labels = name.split(".")
  if (labels.length < 2 || name.length > 253 || !labels.every((label) => LABEL.test(label)))
    return null
  return /^\d+$/.test(labels.at(-1) ?? "") ? null : name
}

export function formatMailbox({ address, name }: Mailbox): string {
  if (!name) return address
  return /[()<>[\]:;@\\,."]/.test(name)
    ? `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`
    : `${name} <${address}>`
}

export const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1)

/** The domain and its parents with at least two labels, longest first. */
export function domainAndParents(domain: string): string[] {
  const labels = domain.split(".")
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join("."))
}

/** Zones are rarely deeper, and whoever looks for one asks for each candidate. */
const MAX_ZONE_LABELS = 7

/** The names among the domain and its parents that may be its zone, longest first. */
export const zoneCandidates = (domain: string) =>
  domainAndParents(domain).filter((name) => name.split(".").length <= MAX_ZONE_LABELS)

function unquote(name: string): string | null {
  if (!name.startsWith('"')) return /[<>"]/.test(name) ? null : name
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(name)
  return quoted ? (quoted[1] ?? "").replace(/\\(.)/g, "$1").trim() : null
}
