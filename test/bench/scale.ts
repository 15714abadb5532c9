import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { writeResult } from "../proof/result.ts"
import { createCounting } from "./counting.ts"
import { fillBook } from "./fill/contacts.ts"
import { type FilledTeam, fillEmails } from "./fill/emails.ts"
import { fillTeams } from "./fill/teams.ts"
import { fillDeliveries } from "./fill/webhooks.ts"
import type { Loader, Run } from "./loader.ts"
import { apiCalls, send } from "./operations.ts"
import type { Platform } from "./platform.ts"
import { type ScaleCall, scaleCalls } from "./scale-calls.ts"
import { type Cost, countJobs } from "./scale-jobs.ts"
import { median, printTable } from "./table.ts"

const FEW = 1_000
const ROUNDS = 3
/** Of a thousand emails, a team with little mail has so many. */
const OF_A_TEAM = 100
/** Beside the webhook of the large team. */
const OTHER_WEBHOOKS = 49

/** The same operations among a thousand stored emails and contacts, and then among many. */
export async function measureScale(platform: Platform, loader: Loader, stored: number) {
  const receiver = await startReceiver()
  const call = callsOf(platform)
  const { id: bookId } = await call("POST", "/contact-books", { name: "Readers" })
  const webhook = { url: receiver.url, events: ["email.delivered"] }
  const { id: webhookId } = await call("POST", "/webhooks", webhook)
  const team = await largeTeam(platform)
  const place = { bookId, webhookId, oldest: { from: 0, to: FEW } }
  const calls = scaleCalls(platform, place)
  await fill(platform, team, webhookId, { from: 0, to: FEW })
  await fillBook(platform.db, { teamId: team.teamId, bookId }, { from: 0, to: FEW })
  const few = await measure(platform, loader, team, calls)
  const teams = Math.floor(stored / 1_000)
  const startedAt = performance.now()
  await fill(platform, team, webhookId, { from: FEW, to: stored - teams * OF_A_TEAM })
  await fillBook(platform.db, { teamId: team.teamId, bookId }, { from: FEW, to: stored })
  await fillTeams(platform, { teams, webhooks: OTHER_WEBHOOKS })
  console.log(`Filled in ${((performance.now() - startedAt) / 1000).toFixed(0)} seconds`)
  const many = await measure(platform, loader, team, calls)
  receiver.close()
  const lines = [...few].map(([name, of]) => toLine(name, of, many.get(name) as Measured))
  console.log(`\nAmong ${FEW} and ${stored} stored emails, medians of ${ROUNDS} rounds`)
  printTable(
    ["operation", ...COLUMNS, ""],
    lines.map((line) => [...line.map(String), ""]),
  )
  keep({ stored, teams, calls, few, many, lines })
}

async function fill(
  platform: Platform,
  team: FilledTeam,
  webhookId: string,
  range: { from: number; to: number },
) {
  const { teamId } = team
  await fillEmails(platform, team, range)
  await fillDeliveries(platform.db, { teamId, webhookId, type: "delivered" })
}

interface Measured extends Cost {
  /** Milliseconds of a call. Null where whole invocations are counted. */
  cpu: number | null
}

/** Times under load, then counts of one call each, then what the Worker does by itself. */
async function measure(
  platform: Platform,
  loader: Loader,
  team: FilledTeam,
  calls: readonly ScaleCall[],
): Promise<Map<string, Measured>> {
  const service = { port: platform.ports.edgepost, connections: 8, seconds: 0.5 }
  const runs = new Map<string, Run[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, call, status, settles = false } of calls) {
      const run = await loader.run({ ...service, call, status, settles })
      runs.set(name, [...(runs.get(name) ?? []), run])
    }
  }
  const counting = createCounting(platform.ports)
  const measured = new Map<string, Measured>()
  for (const { name, call } of calls) {
    const of = runs.get(name) ?? []
    const cpu = median(of.map((run) => run.cpuMs / run.calls))
    measured.set(name, {
      ...(await counting.call(call)),
      ms: median(of.map(({ p50 }) => p50)),
      cpu,
    })
  }
  for (const [name, cost] of await countJobs(platform, team))
    measured.set(name, { ...cost, cpu: null })
  return measured
}

const COLUMNS = [
  "time, as a ratio",
  "CPU, as a ratio",
  "round trips",
  "rows read among few",
  "rows read among many",
  "rows written",
]

const both = (few: number, many: number) => (few === many ? few : `${few}, ${many}`)
const ratio = (many: number, few: number) => Number((many / few).toFixed(2))

const toLine = (name: string, few: Measured, many: Measured): (string | number)[] => [
  name,
  ratio(many.ms, few.ms),
  few.cpu && many.cpu ? ratio(many.cpu, few.cpu) : "",
  both(few.roundTrips, many.roundTrips),
  few.rowsRead,
  many.rowsRead,
  both(few.rowsWritten, many.rowsWritten),
]

interface Outcome {
  stored: number
  teams: number
  calls: readonly ScaleCall[]
  few: Map<string, Measured>
  many: Map<string, Measured>
  lines: (string | number)[][]
}

function keep({ stored, teams, calls, few, many, lines }: Outcome): void {
  const most = (of: Map<string, Measured>, isSearch: boolean) =>
    Math.max(
      ...calls.flatMap(({ name, isSearch: searches = false }) =>
        searches === isSearch ? (of.get(name)?.rowsRead ?? 0) : [],
      ),
    )
  const cpu = lines.flatMap(([, , value]) => (typeof value === "number" ? value : []))
  const count = (value: number) => value.toLocaleString("en-US")
  writeResult("scale", {
    name: "The same operations among a million",
    command: `npm run bench -- --parts scale --stored ${stored}`,
    figures: {
      "emails and contacts stored": stored,
      "compared with": FEW,
      teams: teams + 1,
      "webhooks with deliveries": OTHER_WEBHOOKS + 1,
      "rows that a page by an index reads at most among a thousand": most(few, false),
      "rows that a page by an index reads at most among the many": most(many, false),
      "rows that a page of a search reads at most among a thousand": most(few, true),
      "rows that a page of a search reads at most among the many": most(many, true),
      "largest ratio of CPU": Math.max(...cpu),
    },
    shows: `The same operations at a local service with a database of ${count(FEW)} emails and contacts, and then with ${count(stored)} of each, in one run. One team has most emails; ${count(teams)} teams have ${OF_A_TEAM} each. Emails have recipients, tags, timelines, statistics, and contents in packs; webhooks have their events and deliveries. Times of calls are medians of ${ROUNDS} rounds with 8 connections. Round trips and rows are the database's own count. Where two numbers stand in a column, the first one is among the few. A minute's work is all of \`cron.ts\`; it reads some 20 rows for each team.`,
    doesNotShow:
      "Production, databases whose pages are not in the memory of the machine, and times where other programs run beside it: those change times, but neither rows nor, much, CPU.",
    table: { columns: ["operation", ...COLUMNS], rows: lines },
  })
}

async function largeTeam({ db, credentials: { teamId } }: Platform): Promise<FilledTeam> {
  const domain = db.prepare("select id from domains where team_id = ?").bind(teamId)
  return { teamId, domainId: (await domain.first<string>("id")) as string }
}

async function startReceiver() {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end("ok"))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function callsOf(platform: Platform) {
  const { api } = apiCalls(platform)
  return async (method: string, path: string, body: unknown) => {
    const reply = await send(platform.ports.edgepost, api(method, path, body))
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`)
    return (await reply.json()) as { id: string }
  }
}
