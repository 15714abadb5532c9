import type { Command } from "commander"
import type { Stats, StatsSeries, StatsSeriesQuery } from "../client/index.ts"
import { createSession, type Session } from "./session/session.ts"
import { withExamples } from "./terminal/examples.ts"
import { toTime } from "./terminal/options.ts"
import { toTable } from "./terminal/paint.ts"
import type { Terminal } from "./terminal/terminal.ts"

export function addStats(program: Command, terminal: Terminal): void {
  const command = program
    .command("stats")
    .summary("show counts and rates, or a series of counts")
    .description(
      "Show counts and rates of the last 30 days, and alerts.\n" +
        "With an option: counts by the hour or by the day. Filters combine.",
    )
    .option("--since <time>", "from this time on: 2026-11-20T00:00Z, or 7d ago", toTime)
    .option("--until <time>", "before this time, or before 1h ago", toTime)
    .option("--step <step>", "hour or day; by default hour below 3 days")
    .option("--tag <key:value>", "emails with a tag")
    .option("--domain-id <id>", "emails of a domain")
    .option("--template-id <id>", "emails of a template")
    .option("--campaign-id <id>", "emails of a campaign")
    .action(async (query: StatsSeriesQuery) => {
      const session = createSession(command, terminal)
      if (Object.keys(query).length === 0) return printStats(session, await session.client.stats())
      printSeries(session, await session.client.statsSeries(query))
    })
  withExamples(
    command,
    "edgepost stats",
    "edgepost stats --since 7d --tag plan:pro",
    "edgepost stats --since 24h --domain-id dom_1 --json",
  )
}

const percent = (rate: number) => `${(rate * 100).toFixed(1)} %`

function printStats({ print, paint }: Session, stats: Stats): void {
  const { sent, rates, alerts } = stats
  const lines = [
    `Sent        ${sent.today} in 24 hours, ${sent.d7} in 7 days, ${sent.d30} in 30 days`,
    ...Object.entries(rates).map(
      ([name, rate]) => `${name[0]?.toUpperCase()}${name.slice(1).padEnd(10)} ${percent(rate)}`,
    ),
    ...alerts.map(({ kind, level, rate }) =>
      paint("red", `${level}: ${percent(rate)} ${kind}s in 24 hours`),
    ),
  ]
  print(stats, lines.join("\n"))
}

const TITLES = ["AT", "SENT", "DELIVERED", "HARD BOUNCED", "SOFT BOUNCED", "COMPLAINED"]
const MORE_TITLES = ["FAILED", "OPENED", "CLICKED", "DELAYED"]

function printSeries({ print, paint }: Session, series: StatsSeries): void {
  const { data, totals, incomplete } = series
  const toRow = (at: string, counts: StatsSeries["totals"]) => {
    const { sent, delivered, bounced, complained, failed, opened, clicked, delayed } = counts
    const numbers = [sent, delivered, bounced.hard, bounced.soft, complained]
    return [at, ...[...numbers, failed, opened, clicked, delayed].map(String)]
  }
  const rows = [...data.map(({ at, ...counts }) => toRow(at, counts)), toRow("Total", totals)]
  const table = toTable(paint, [...TITLES, ...MORE_TITLES], rows)
  print(series, incomplete ? `${table}\nSome emails with the tag could not be counted.` : table)
}
