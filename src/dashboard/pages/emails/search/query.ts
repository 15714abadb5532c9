import type { ListEmailsQuery } from "../../../../client/types.ts"
import { DAY_MS, HOUR_MS } from "../../../../lib/time.ts"
import { EMAIL_STATUSES, type EmailStatus } from "../../../../worker/emails/statuses.ts"

/** A filter of the search: `status:bounced`, `@example.com`. */
export interface Chip {
  name: FilterName
  value: string
}

const UNITS_MS: Record<string, number> = { h: HOUR_MS, d: DAY_MS }
export const AGO = /^(\d{1,4})([hd])$/

/** "2026-11-23T14:00Z", to which the metrics link. */
const isMinute = (value: string) =>
  /^2\d{3}-\d\d-\d\dT\d\d:\d\dZ$/.test(value) && !Number.isNaN(Date.parse(value))

export const isDay = (text: string) =>
  /^2\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

const isTime = (value: string) => AGO.test(value) || isDay(value) || isMinute(value)
const isYesOrNo = (value: string) => ["yes", "no"].includes(value)
const isText = (value: string) => value !== ""

export const FILTERS = {
  status: (value: string) => EMAIL_STATUSES.some((one) => one === value),
  tag: isText,
  to: isText,
  from: (value: string) => ADDRESS.test(value),
  domain: isText,
  template: isText,
  campaign: isText,
  key: isText,
  opened: isYesOrNo,
  clicked: isYesOrNo,
  since: isTime,
  until: isTime,
}

export type FilterName = keyof typeof FILTERS

/** The values to choose from, if there are few. */
export function valuesOf(name: FilterName): readonly string[] {
  if (name === "status") return EMAIL_STATUSES
  if (FILTERS[name] === isYesOrNo) return ["yes", "no"]
  return FILTERS[name] === isTime ? ["24h", "7d", "30d", "90d"] : []
}

/** The filters that may be given several times. */
const REPEATED = ["status", "tag"]

/** The words of a search. A quoted part keeps its spaces. */
export const tokensOf = (q: string): readonly string[] =>
  q.match(/(?:[^\s"]|"(?:\\.|[^"\\])*"?)+/gs) ?? []

const QUOTED = /"((?:\\.|[^"\\])*)"?/gs

/** Between quotes, `\"` is a quote and `\\` a backslash. */
const unquote = (text: string) =>
  text.replace(QUOTED, (_, inner: string) => inner.replace(/\\(["\\])/g, "$1"))
const quote = (value: string) =>
  /[\s"]/.test(value) ? `"${value.replace(/["\\]/g, "\\$&")}"` : value

/** The filters of a text, and the words that are left. */
export function readQuery(q: string): { chips: Chip[]; words: string } {
  const chips: Chip[] = []
  const words: string[] = []
  for (const token of tokensOf(q)) {
    const chip = readChip(token)
    if (!chip) words.push(token)
    else if (!chips.some((one) => isSame(one, chip))) {
      const isOther = ({ name }: Chip) => name !== chip.name || REPEATED.includes(name)
      chips.splice(0, chips.length, ...chips.filter(isOther), chip)
    }
  }
  return { chips, words: words.join(" ") }
}

const isSame = (a: Chip, b: Chip) => a.name === b.name && a.value === b.value

/** A tag may begin or end with a space. */
export const filterValue = (name: FilterName, text: string) =>
  name === "tag" ? unquote(text) : unquote(text).trim()

function readChip(token: string): Chip | undefined {
  const [, typed = "", rest = ""] = /^([a-z]+):(.+)$/i.exec(token) ?? []
  const name = typed.toLowerCase() as Chip["name"]
  if (Object.hasOwn(FILTERS, name)) {
    const value = filterValue(name, rest)
    return FILTERS[name](value) ? { name, value } : undefined
  }
  return ADDRESS.test(token) ? { name: "to", value: unquote(token) } : undefined
}

/** A whole address, or all addresses of a domain. Other parts of an address are words. */
const ADDRESS = /^[^@]*@[^@]+\.[^@.]+$/

export const chipText = ({ name, value }: Chip) =>
  name === "to" && value.includes("@") && quote(value) === value ? value : `${name}:${quote(value)}`

/** The text of a search, as the address bar has it. */
export const writeQuery = (chips: readonly Chip[], words: string) =>
  [...chips.map(chipText), words.trim()].filter(Boolean).join(" ")

/** The filters with this value of one of them, or without it. */
export const withChip = (chips: readonly Chip[], name: Chip["name"], value: string): Chip[] => [
  ...chips.filter((chip) => chip.name !== name),
  ...(value ? [{ name, value }] : []),
]

/** The query of the API. */
export function toListQuery(q: string, now = Date.now()): ListEmailsQuery {
  const { chips, words } = readQuery(q)
  const all = (name: Chip["name"]) => chips.filter((chip) => chip.name === name)
  const one = (name: Chip["name"]) => all(name)[0]?.value
  const given: ListEmailsQuery = {}
  const statuses = all("status").map(({ value }) => value as EmailStatus)
  const tags = all("tag").map(({ value }) => value)
  const texts = {
    to: one("to"),
    from: one("from"),
    domainId: one("domain"),
    templateId: one("template"),
    campaignId: one("campaign"),
    keyId: one("key"),
    q: words,
    since: toTime(one("since"), now, 0),
    until: toTime(one("until"), now, 1),
  }
  if (statuses.length > 0) given.status = statuses
  if (tags.length > 0) given.tag = tags
  for (const name of ["opened", "clicked"] as const) {
    const value = one(name)
    if (value) given[name] = value === "yes"
  }
  return { ...given, ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text)) }
}

/** A day is one of the person's own time zone. `daysLater` is 1 for the end of a day. */
function toTime(value: string | undefined, now: number, daysLater: number): string | undefined {
  if (!value) return undefined
  const [, count, unit = ""] = AGO.exec(value) ?? []
  if (count) return new Date(now - Number(count) * (UNITS_MS[unit] ?? 0)).toISOString()
  if (isMinute(value)) return new Date(value).toISOString()
  const start = new Date(`${value}T00:00`)
  start.setDate(start.getDate() + daysLater)
  return start.toISOString()
}
