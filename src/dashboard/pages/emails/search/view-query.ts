import type { ViewQuery } from "../../../../worker/views/contract.ts"
import { AGO, type Chip, readQuery, toListQuery, writeQuery } from "./query.ts"

/** The filters of a search as a view keeps them. A time before now stays relative. */
export function toViewQuery(q: string): ViewQuery {
  const { opened, clicked, ...query } = toListQuery(q)
  const { chips } = readQuery(q)
  const ago = (name: "since" | "until") => {
    const value = chips.find((chip) => chip.name === name)?.value ?? ""
    return AGO.test(value) ? { [name]: value } : {}
  }
  return {
    ...query,
    ...(opened !== undefined && { opened: String(opened) }),
    ...(clicked !== undefined && { clicked: String(clicked) }),
    ...ago("since"),
    ...ago("until"),
  } as ViewQuery
}

const CHIPS: Partial<Record<keyof ViewQuery, Chip["name"]>> = {
  status: "status",
  tag: "tag",
  to: "to",
  from: "from",
  domainId: "domain",
  templateId: "template",
  campaignId: "campaign",
  keyId: "key",
  opened: "opened",
  clicked: "clicked",
  since: "since",
  until: "until",
}

/** The search of a view, as the address bar has it. */
export function fromViewQuery(query: ViewQuery): string {
  const chips = Object.entries(CHIPS).flatMap(([filter, name]) =>
    [query[filter as keyof ViewQuery] ?? []]
      .flat()
      .map((value) => ({ name, value: toChipValue(name, value) })),
  )
  return writeQuery(chips, [query.q, query.subject].filter(Boolean).join(" "))
}

function toChipValue(name: Chip["name"], value: string): string {
  if (name === "opened" || name === "clicked") return value === "true" ? "yes" : "no"
  if ((name !== "since" && name !== "until") || AGO.test(value)) return value
  return `${new Date(value).toISOString().slice(0, 16)}Z`
}

export const viewPage = ({ query }: { query: ViewQuery }) =>
  `/emails?q=${encodeURIComponent(fromViewQuery(query))}`

/** The same for the same filters, in whatever order they stand. */
const identity = (query: ViewQuery) =>
  JSON.stringify(
    Object.entries(query)
      .map(([name, value]) => [name, [value].flat().toSorted()])
      .toSorted(),
  )

export const isSameQuery = (a: ViewQuery, b: ViewQuery) =>
  identity(toViewQuery(fromViewQuery(a))) === identity(toViewQuery(fromViewQuery(b)))
