import { queryOptions, useQuery } from "@tanstack/react-query"
import { DAY_MS, HOUR_MS } from "../../../lib/time.ts"
import type { getStatsSeries } from "../../../worker/stats/contract.ts"
import type { getStatsDelivery } from "../../../worker/stats/delivery/contract.ts"
import { api, call } from "../../api/api.ts"
import { listCampaigns } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"
import { LOCALE } from "../../ui/time/locale.ts"
import { ZONE } from "../../ui/time/times.ts"

const REFRESH_MS = 60_000
const HOURS_UP_TO_DAYS = 3

export const RANGES = [
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["90d", "Last 90 days"],
] as const
export type RangeName = (typeof RANGES)[number][0]

export interface SeriesQuery {
  since: string
  step: "hour" | "day"
  domainId?: string
  templateId?: string
  campaignId?: string
  tag?: string
}

export type Series = ReplyOf<typeof getStatsSeries>
export type Delivery = ReplyOf<typeof getStatsDelivery>
type Counts = Series["totals"]

const hourOf = (time: number) => new Date(Math.floor(time / HOUR_MS) * HOUR_MS).toISOString()

/** Counts are kept by the hour of UTC: where zones differ by half an hour, days start half an hour early. */
const todayOf = (now: number) => Date.parse(hourOf(new Date(now).setHours(0, 0, 0, 0)))

/** A day of 24 hours begins when today began, in the person's own time zone. */
function dayOf(time: number, now: number): string {
  const today = todayOf(now)
  return new Date(today - Math.ceil((today - time) / DAY_MS) * DAY_MS).toISOString()
}

/** A range ends with the hour or the day of now. */
export function stepsOf(range: RangeName, now = Date.now()): Pick<SeriesQuery, "since" | "step"> {
  if (range === "24h") return { since: hourOf(now - 23 * HOUR_MS), step: "hour" }
  const days = Number.parseInt(range, 10)
  return { since: dayOf(now - (days - 1) * DAY_MS, now), step: "day" }
}

/** Hours while there are fewer than three days. */
export function stepsSince(start: string, now = Date.now()): Pick<SeriesQuery, "since" | "step"> {
  const from = Math.max(Date.parse(start), now - 399 * DAY_MS)
  return now - from < HOURS_UP_TO_DAYS * DAY_MS
    ? { since: hourOf(from), step: "hour" }
    : { since: dayOf(from, now), step: "day" }
}

export const seriesQuery = (query: SeriesQuery) =>
  queryOptions<Series>({
    queryKey: ["metrics", "series", query],
    queryFn: () =>
      call<typeof getStatsSeries>({ method: "GET", path: "/stats/series", query: { ...query } }),
    refetchInterval: REFRESH_MS,
  })

/** The steps of a range: hours while its first email is younger than three days. */
export function useSeries(query: SeriesQuery) {
  const days = useQuery(seriesQuery(query))
  const first = days.data?.data.find(({ sent }) => sent > 0)
  const since = first ? { ...query, ...stepsSince(first.at) } : query
  const isYoung = query.step === "day" && since.step === "hour"
  const hours = useQuery({ ...seriesQuery(since), enabled: isYoung })
  return isYoung ? { query: since, series: hours } : { query, series: days }
}

const timeOfDay = new Intl.DateTimeFormat(LOCALE, { timeStyle: "short" })

export function stepWords({ step }: Pick<SeriesQuery, "step">): string {
  const words = `${step === "day" ? "Daily" : "Hourly"} totals, in your time zone (${ZONE}).`
  const today = todayOf(Date.now())
  const isMidnight = new Date(today).getMinutes() === 0
  return step === "hour" || isMidnight
    ? words
    : `${words} Days start at ${timeOfDay.format(today)}.`
}

/** Not counted by tag. */
export const deliveryQuery = ({ tag: _tag, step: _step, ...query }: SeriesQuery) =>
  queryOptions<Delivery>({
    queryKey: ["metrics", "delivery", query],
    queryFn: () => call<typeof getStatsDelivery>({ method: "GET", path: "/stats/delivery", query }),
    refetchInterval: REFRESH_MS,
  })

const MOST = { limit: 100 }

/** The newest hundred of each. */
export const choicesQuery = queryOptions({
  queryKey: ["metrics", "choices"],
  queryFn: async () => {
    const [domains, templates, campaigns] = await Promise.all([
      api.domains.list(MOST),
      api.templates.list(MOST),
      listCampaigns(MOST),
    ])
    return {
      domains: domains.data,
      templates: templates.data,
      campaigns: campaigns.data.filter(({ status }) => status !== "draft"),
    }
  },
})

/** The counts of a step with one number of bounces, as charts show them. */
export interface Step {
  at: string
  sent: number
  delivered: number
  bounced: number
  complained: number
  opened: number
  clicked: number
}

export const toSteps = ({ data }: Series): Step[] =>
  data.map(({ bounced, ...step }) => ({ ...step, bounced: bouncedIn({ bounced }) }))

export const bouncedIn = ({ bounced }: Pick<Counts, "bounced">) => bounced.hard + bounced.soft
