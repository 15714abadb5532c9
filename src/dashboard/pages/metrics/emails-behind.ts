import { DAY_MS, HOUR_MS } from "../../../lib/time.ts"
import { type Chip, chipText } from "../emails/search/query.ts"
import type { SeriesQuery } from "./data.ts"

/** The filters of the email list for each count. Whoever complains had the email delivered. */
const FOUND_BY = {
  sent: "",
  delivered: "status:delivered status:complained",
  bounced: "status:bounced",
  complained: "status:complained",
  opened: "opened:yes",
  clicked: "clicked:yes",
}
type Counted = keyof typeof FOUND_BY

const NAMES = {
  domainId: "domain",
  templateId: "template",
  campaignId: "campaign",
  tag: "tag",
} satisfies Partial<Record<keyof SeriesQuery, Chip["name"]>>
const UNIT_MS = { hour: HOUR_MS, day: DAY_MS }

/** The emails behind a number: those of the range, or of the step that begins at a time. */
export function emailsBehind(
  count: Counted | "",
  query: SeriesQuery,
  more: { at?: string; to?: string } = {},
) {
  const { at, to } = more
  const filters = Object.entries(NAMES).flatMap(([member, name]) => {
    const value = query[member as keyof typeof NAMES]
    return value ? [chipText({ name, value })] : []
  })
  const end = at && new Date(Date.parse(at) + UNIT_MS[query.step]).toISOString()
  const q = [
    count && FOUND_BY[count],
    ...filters,
    to,
    `since:${minuteOf(at ?? query.since)}`,
    end && `until:${minuteOf(end)}`,
  ]
  return `/emails?${new URLSearchParams({ q: q.filter(Boolean).join(" ") })}`
}

/** "2026-11-23T14:00Z" */
const minuteOf = (time: string) => `${time.slice(0, 16)}Z`
