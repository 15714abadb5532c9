import type { Domain, Email } from "../../../../client/types.ts"
import { FILTERS, type FilterName, valuesOf } from "./query.ts"

export interface Suggestion {
  /** What takes the place of the word that is typed. */
  token: string
  label: string
}

interface Seen {
  emails: readonly Email[]
  domains: readonly Domain[]
}

const MOST = 12

const NAMES: Record<FilterName, string> = {
  status: "Status",
  tag: "Tag",
  to: "Recipient",
  from: "Sender",
  domain: "Sending domain",
  template: "Template ID",
  campaign: "Campaign ID",
  key: "API key ID",
  opened: "Opened or not",
  clicked: "Clicked or not",
  since: "Created since",
  until: "Created until",
}

/** Filters and their values for the last word of a search. */
export function suggest(text: string, seen: Seen): Suggestion[] {
  const word = lastWord(text).toLowerCase()
  const found = word === "" ? [] : candidates(word, seen)
  return found
    .filter(({ token, label }) => {
      const value = label.toLowerCase()
      return token !== word && (token.startsWith(word) || `domain:${value}`.startsWith(word))
    })
    .slice(0, MOST)
}

function candidates(word: string, seen: Seen): Suggestion[] {
  if (word.startsWith("@")) {
    const hosts = seen.emails.flatMap(({ to }) => /@[^@>]+/.exec(to.join(" "))?.[0].trim() ?? [])
    return [...new Set(hosts)].map((host) => ({
      token: host,
      label: "All addresses of the domain",
    }))
  }
  if (!word.includes(":"))
    return Object.entries(NAMES).map(([name, label]) => ({ token: `${name}:`, label }))
  const [name = ""] = word.split(":")
  if (name === "domain")
    return seen.domains.map((domain) => ({ token: `domain:${domain.id}`, label: domain.name }))
  if (name === "from")
    return sendersOf(seen).map((sender) => ({ token: `from:${sender}`, label: "" }))
  const values =
    name === "tag"
      ? tagsOf(seen.emails)
      : Object.hasOwn(FILTERS, name)
        ? valuesOf(name as never)
        : []
  return values.map((value) => ({ token: `${name}:${value}`, label: "" }))
}

const sendersOf = ({ emails, domains }: Seen) => [
  ...new Set([
    ...emails.flatMap(({ from }) => /[^\s<>]+@[^\s<>]+/.exec(from)?.[0] ?? []),
    ...domains.map(({ name }) => `@${name}`),
  ]),
]

/** A tag with a space would need quotes, which the list's own filters write. */
const tagsOf = (emails: readonly Email[]) =>
  [
    ...new Set(
      emails.flatMap(({ tags }) => Object.entries(tags).map(([key, value]) => `${key}:${value}`)),
    ),
  ].filter((tag) => !/[\s"]/.test(tag))

const lastWord = (text: string) => /\S*$/.exec(text)?.[0] ?? ""

/** The search with the suggestion in place of its last word. */
export const withSuggestion = (text: string, { token }: Suggestion) =>
  text.slice(0, text.length - lastWord(text).length) + token
