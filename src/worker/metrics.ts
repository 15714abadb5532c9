import { timingSafeEqual } from "node:crypto"
import { and, eq, isNull, type SQL, sql } from "drizzle-orm"
import type { Context } from "hono"
import { sha256Hex } from "../lib/crypto.ts"
import { firstIdAt } from "../lib/id.ts"
import { logError } from "../lib/log.ts"
import { MINUTE_MS } from "../lib/time.ts"
import { isOpen, OPEN_EMAILS, PRIORITIES } from "./emails/sending/open-emails.ts"
import { providerPauses } from "./emails/sending/table.ts"
import { emails } from "./emails/table.ts"
import { oldestDue } from "./health.ts"
import type { Work } from "./platform/context.ts"
import { namedBatch } from "./platform/db/client.ts"
import { DIRECTORY, databaseNumbers, workIn } from "./platform/db/databases.ts"
import { MAX_DATABASE_BYTES } from "./platform/db/size.ts"
import { ApiError, notFound } from "./platform/http/errors.ts"
import type { HttpEnv } from "./platform/http/route.ts"
import { deadLetters } from "./platform/queues/table.ts"
import { createWork } from "./platform/work.ts"
import { BULK_COUNTED, countedAt } from "./stats/counters.ts"
import { statsDays } from "./stats/table.ts"
import { teams } from "./teams/table.ts"
import { deliveries, webhooks } from "./webhooks/events/table.ts"

/** Counting ends here, since each scrape reads the rows that it counts. */
const COUNTED_AT_MOST = 1_000

/** The installation's metrics as OpenMetrics text, for callers with `METRICS_TOKEN`. */
export async function metrics(c: Context<HttpEnv>): Promise<Response> {
  const work = createWork(c.env, c.executionCtx)
  const { METRICS_TOKEN } = work.settings
  if (!METRICS_TOKEN) throw notFound("Path")
  const given = c.req.header("authorization")?.replace(/^Bearer /i, "") ?? ""
  if (!isSame(given, METRICS_TOKEN)) throw new ApiError("unauthorized", "Not the METRICS_TOKEN.")
  return c.body(toText(await measureAll(work)), 200, {
    "content-type": "application/openmetrics-text; version=1.0.0; charset=utf-8",
  })
}

const isSame = (given: string, token: string) =>
  timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(token)))

/** With several databases, each value has the number of its database as a label. */
async function measureAll(work: Work): Promise<Record<string, Metric>> {
  const numbers = databaseNumbers(work.env)
  const measured = await Promise.allSettled(
    numbers.map(async (number) => toMetrics(await measure(workIn(work, number)), work.now())),
  )
  const all: Record<string, Metric> = {}
  const up = gauge("Whether the database answers.", {})
  for (const [index, one] of measured.entries()) {
    const database = numbers[index] ?? DIRECTORY
    const label = `database="${database}"`
    up.values[`{${label}}`] = Number(one.status === "fulfilled")
    if (one.status === "rejected") {
      if (numbers.length === 1) throw one.reason
      logError(one.reason, { database })
      continue
    }
    if (numbers.length === 1) return one.value
    for (const [name, { values, ...metric }] of Object.entries(one.value)) {
      all[name] ??= { ...metric, values: {} }
      for (const [labels, value] of Object.entries(values)) {
        all[name].values[labels ? labels.replace("}", `,${label}}`) : `{${label}}`] = value
      }
    }
  }
  return { ...all, edgepost_database_up: up }
}

interface Metric {
  type: "gauge" | "counter"
  help: string
  /** Values by their labels, such as `{priority="bulk"}`. A metric without labels has the key "". */
  values: Record<string, number>
}

const ACCEPTED_WITHIN_MS = 5 * MINUTE_MS

/** One round trip. The counters are those of the UTC day: they begin again at midnight. */
function measure({ db, now, settings }: Work) {
  const { PROVIDER, BULK_PROVIDER = PROVIDER } = settings
  const sums = BULK_COUNTED.flatMap((outcome) => {
    const bulk = sql`coalesce(${statsDays.bulk} ->> ${outcome}, 0)`
    const labels = (provider: string) => `{outcome="${outcome}",provider="${provider}"}`
    const sum = (value: SQL) => sql<number>`coalesce(sum(${value}), 0)`
    const count = sql`${statsDays[outcome]}`
    return BULK_PROVIDER === PROVIDER
      ? [[labels(PROVIDER), sum(count)] as const]
      : [
          [labels(PROVIDER), sum(sql`${count} - ${bulk}`)] as const,
          [labels(BULK_PROVIDER), sum(bulk)] as const,
        ]
  })
  const since = firstIdAt("email", now() - ACCEPTED_WITHIN_MS)
  const ofCampaign = sql`${emails.campaignId} is not null`
  const acceptedBy =
    BULK_PROVIDER === PROVIDER
      ? [[PROVIDER, sql`true`] as const]
      : [[PROVIDER, sql`not ${ofCampaign}`] as const, [BULK_PROVIDER, ofCampaign] as const]
  const isToday = and(eq(statsDays.teamId, teams.id), eq(statsDays.day, countedAt(now()).day))
  return namedBatch(db, {
    due: db.all<{ dueAt: number | null }>(oldestDue),
    delivery: db.all<{ dueAt: number | null }>(oldestDelivery),
    waiting: db.all<Record<keyof typeof PRIORITIES, number>>(sql`select
      ${counted(openOf(PRIORITIES.transactional))} as transactional,
      ${counted(openOf(PRIORITIES.bulk))} as bulk,
      ${counted(openOf(PRIORITIES.scheduled))} as scheduled`),
    accepted: db.all<Record<string, number>>(
      sql`select ${sql.join(
        acceptedBy.map(
          ([provider, isIts]) =>
            sql`${counted(acceptedSince(since, isIts))} as ${sql.identifier(provider)}`,
        ),
        sql`, `,
      )}`,
    ),
    letters: db.all<{ count: number }>(
      sql`select ${counted(sql`${deadLetters} where ${isNull(deadLetters.replayedAt)}`)} as count`,
    ),
    pauses: db.select().from(providerPauses),
    outcomes: db
      .select(Object.fromEntries(sums.map(([labels, sum]) => [labels, sum.as(labels)])))
      .from(teams)
      .crossJoin(statsDays)
      .where(isToday),
    size: db.run(sql`select 1`),
  })
}

function toMetrics(
  answers: Awaited<ReturnType<typeof measure>>,
  now: number,
): Record<string, Metric> {
  const late = ([row]: { dueAt: number | null }[]) =>
    row?.dueAt ? Math.max(0, (now - row.dueAt) / 1000) : 0
  const bytes = answers.size.meta.size_after ?? 0
  return {
    edgepost_oldest_due_seconds: gauge("How late the oldest email, campaign or domain check is.", {
      "": late(answers.due),
    }),
    edgepost_oldest_delivery_seconds: gauge(
      "How late the oldest delivery to a receiver that answers in time is.",
      {
        "": late(answers.delivery),
      },
    ),
    edgepost_emails_waiting: gauge(
      `Emails that are not handed over yet, at most ${COUNTED_AT_MOST}.`,
      labelled("priority", answers.waiting[0] ?? {}),
    ),
    edgepost_emails_accepted: gauge(
      `Emails accepted within the last five minutes, by provider, at most ${COUNTED_AT_MOST}.`,
      labelled("provider", answers.accepted[0] ?? {}),
    ),
    edgepost_provider_paused_seconds: gauge(
      "How long a provider has taken no mail. A provider that takes mail has no line.",
      labelled(
        "provider",
        Object.fromEntries(
          answers.pauses.map(({ provider, since }) => [provider, (now - since) / 1000]),
        ),
      ),
    ),
    edgepost_dead_letters: gauge("Messages that wait for a person.", {
      "": answers.letters[0]?.count ?? 0,
    }),
    edgepost_database_bytes: gauge("The size of the database.", { "": bytes }),
    edgepost_database_used_ratio: gauge("Its share of what D1 allows.", {
      "": bytes / MAX_DATABASE_BYTES,
    }),
    edgepost_emails: {
      type: "counter",
      help: "Emails by outcome and provider. Begins again at midnight UTC.",
      values: answers.outcomes[0] as Record<string, number>,
    },
  }
}

const gauge = (help: string, values: Metric["values"]): Metric => ({ type: "gauge", help, values })

const acceptedSince = (since: string, isIts: SQL) => sql`${teams} cross join ${emails}
  on ${emails.teamId} = ${teams.id} and ${emails.id} >= ${since} and ${isIts}`

const openOf = (priority: (typeof PRIORITIES)[keyof typeof PRIORITIES]) =>
  sql`${OPEN_EMAILS} where ${isOpen(priority)}`

const counted = (rows: SQL) =>
  sql`(select count(*) from (select 1 from ${rows} limit ${sql.raw(String(COUNTED_AT_MOST))}))`

/** One index step for each webhook. A slow receiver delays its deliveries itself. */
const oldestDelivery = sql`
  select min(due_at) as dueAt from (
    select (select min(${deliveries.dueAt}) from deliveries indexed by deliveries_due
      where ${deliveries.webhookId} = ${webhooks.id} and ${deliveries.dueAt} is not null) as due_at
    from webhooks where ${webhooks.restsUntil} is null)`

const labelled = (label: string, values: Record<string, number>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`{${label}="${name}"}`, value]))

/** https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md */
const toText = (metrics: Record<string, Metric>) =>
  [
    ...Object.entries(metrics).flatMap(([name, { type, help, values }]) => [
      `# TYPE ${name} ${type}`,
      `# HELP ${name} ${help}`,
      ...Object.entries(values).map(
        ([labels, value]) => `${name}${type === "counter" ? "_total" : ""}${labels} ${value}`,
      ),
    ]),
    "# EOF\n",
  ].join("\n")
