import { isId } from "../../../lib/id.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import type { listEmails as contract, EmailStatus } from "../contract.ts"
import { wordsOf } from "../word-index/words.ts"

export type EmailFilters = Partial<
  Omit<InputOf<typeof contract>["query"], "limit" | "cursor" | "since" | "until">
>

/** The statuses of the partial index. The others are short-lived, or those of most emails. */
export const RARE_STATUSES: readonly EmailStatus[] = [
  "scheduled",
  "bounced",
  "complained",
  "failed",
  "cancelled",
]

/** The conditions of a list, as values of its statements. Null if no email can match. */
export function readFilters(query: EmailFilters) {
  const { status, tag, to, from, domainId, campaignId, sequenceId, templateId, keyId, subject } =
    query
  if (isNoId("domain", domainId) || isNoId("campaign", campaignId)) return null
  if (isNoId("sequence", sequenceId) || (campaignId && sequenceId)) return null
  if (isNoId("template", templateId) || isNoId("apiKey", keyId)) return null
  return {
    to: to?.kind === "address" ? to.text : undefined,
    toPart: to?.kind === "part" ? to.text : undefined,
    toDomain: to?.kind === "domain" ? to.text : undefined,
    sender: from?.kind === "address" ? from.text : undefined,
    senderDomain: from?.kind === "domain" ? from.text : undefined,
    ...tagValues(tag),
    ...statusValues(status),
    domainId,
    // An email of a sequence has its id in place of a campaign's.
    campaignId: campaignId ?? sequenceId,
    templateId,
    keyId,
    subject: subject && JSON.stringify([...new Set(wordsOf(subject))]),
    opened: toNumber(query.opened),
    clicked: toNumber(query.clicked),
  }
}

const isNoId = (kind: Parameters<typeof isId>[0], id: string | undefined) =>
  id !== undefined && !isId(kind, id)

const toNumber = (value: boolean | undefined) => (value === undefined ? undefined : Number(value))

/** Fewer emails have a key with a value than the key alone: that tag's index is read. */
function tagValues(tags: readonly string[] | undefined) {
  if (!tags) return {}
  const exact = tags.find((tag) => tag.includes(":"))
  return {
    exactTag: exact,
    tagKey: exact ? undefined : tags[0],
    tags: JSON.stringify(tags.map(toPair)),
    moreTags: tags.length > 1 ? 1 : undefined,
  }
}

const toPair = (tag: string) => {
  const [key, ...value] = tag.split(":")
  return [key, value.length > 0 ? value.join(":") : null]
}

function statusValues(statuses: readonly EmailStatus[] | undefined) {
  if (!statuses) return {}
  const list = JSON.stringify([...new Set(statuses)])
  if (!statuses.every((status) => RARE_STATUSES.includes(status))) return { statuses: list }
  return new Set(statuses).size === 1 ? { rareStatus: statuses[0] } : { rareStatuses: list }
}
