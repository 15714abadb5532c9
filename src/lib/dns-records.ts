import { resolve } from "./dns.ts"

/** A record that a domain needs. */
interface DnsRecord {
  kind: string
  type: "CNAME" | "MX" | "TXT"
  name: string
  value: string
  priority: number | null
  ok: boolean
}

interface Resolver {
  DNS_OVER_HTTPS_URL: string
}

/** The records with their state in DNS. A record whose look-up fails stays as it is. */
export const lookUpRecords = <R extends DnsRecord>(settings: Resolver, records: readonly R[]) =>
  Promise.all(records.map(async (record) => (await lookUp(settings, record)).record))

/** A record with its state in DNS, and the values that its name has; null without an answer. */
export async function lookUp<R extends DnsRecord>(
  settings: Resolver,
  record: R,
): Promise<{ record: R; found: string[] | null }> {
  const reply = await resolve(settings, record.name, record.type)
  return reply.ok
    ? { record: judgeRecord(record, reply.answers), found: reply.answers }
    : { record, found: null }
}

/** A record as DNS has it: `answers` are all values at its name. Another value with the same meaning is right. */
export function judgeRecord<R extends DnsRecord>(record: R, answers: readonly string[]): R {
  if (record.kind === "DMARC") {
    const value = readDmarc(answers)
    return { ...record, value: value ?? record.value, ok: value !== null }
  }
  return { ...record, ok: judges(record)(answers) }
}

function judges({
  kind,
  type,
  value,
  priority,
}: DnsRecord): (answers: readonly string[]) => boolean {
  if (isSpf(value)) return (answers) => isPermitted(value, answers)
  if (type === "MX") return (answers) => isMailHost(value, priority, answers)
  const meaning = kind === "DKIM" && type === "TXT" ? keyOf : type === "TXT" ? trimmed : hostOf
  return (answers) => answers.some((answer) => meaning(answer) === meaning(value))
}

const trimmed = (text: string) => text.trim()

/** Host names ignore case and a final dot. */
const hostOf = (name: string) => name.trim().toLowerCase().replace(/\.$/, "")

/** RFC 5321, section 5.1: only the order of priorities counts, and the lowest is asked first. */
function isMailHost(host: string, priority: number | null, answers: readonly string[]): boolean {
  const found = answers.flatMap((answer) => {
    const [, preference, name = ""] = /^(\d+)\s+(\S+)$/.exec(answer.trim()) ?? []
    return preference === undefined ? [] : { preference: Number(preference), name: hostOf(name) }
  })
  const own = found.find(({ name }) => name === hostOf(host))
  const isLone = found.every(({ name }) => name === own?.name)
  return own !== undefined && (isLone || own.preference === priority)
}

/** RFC 7208, section 4.5. */
const isSpf = (text: string) => /^v=spf1( |$)/i.test(text.trim())

/**
 * RFC 7208: two records are an error. One is right if it passes what the wanted one passes, whatever else
 * it has; what stands behind `all` is ignored.
 */
function isPermitted(wanted: string, answers: readonly string[]): boolean {
  const [record, ...more] = answers.filter(isSpf)
  if (record === undefined || more.length > 0) return false
  const passes = new Set(passedBy(record))
  return passedBy(wanted).every((term) => passes.has(term))
}

function passedBy(record: string): string[] {
  const terms = record.trim().toLowerCase().split(/ +/).slice(1)
  const end = terms.findIndex((term) => /^[+?~-]?all$/.test(term))
  return (end < 0 ? terms : terms.slice(0, end))
    .filter((term) => !/^[?~-]/.test(term) && !/^[a-z][\w.-]*=/.test(term))
    .map((term) => term.replace(/^\+/, "").replace(/\.$/, ""))
}

/** RFC 6376, section 3.6.1: the key, without the spaces that a panel may have put in. */
function keyOf(text: string): string {
  const tags = tagsOf(text)
  return `${tags.get("k")?.toLowerCase() ?? "rsa"} ${tags.get("p")?.replace(/\s/g, "")}`
}

/** The tags of a list such as `v=DMARC1; p=none`. */
export const tagsOf = (text: string) =>
  new Map(
    text.split(";").map((tag) => {
      const [name = "", ...value] = tag.split("=")
      return [name.trim().toLowerCase(), value.join("=").trim()]
    }),
  )

/** RFC 7489, section 6.6.3: other texts at the name are ignored. */
export const isDmarc = (text: string) => /^\s*v\s*=\s*DMARC1\s*(;|$)/.test(text)

/** The record that receivers apply. Null if there is none, a broken one, or more than one. */
export function readDmarc(texts: readonly string[]): string | null {
  const [record, ...more] = texts.filter(isDmarc)
  if (record === undefined || more.length > 0) return null
  const tags = tagsOf(record)
  const isPolicy = (name: string) => /^(none|quarantine|reject)$/i.test(tags.get(name) ?? "")
  const isValid = isPolicy("p") && (!tags.has("sp") || isPolicy("sp"))
  return isValid || /\bmailto:[^@\s]+@/i.test(tags.get("rua") ?? "") ? record : null
}
