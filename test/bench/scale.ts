import { writeResult } from "../proof/result.ts"
import { fillBook } from "./audience.ts"
import type { Loader, Run } from "./loader.ts"
import { apiCalls, laterMessage, message, type Operation, send } from "./operations.ts"
import type { Platform } from "./platform.ts"
import { median, printTable } from "./table.ts"

const FEW = 1_000
/** So that a page by address or by status is full among a thousand emails, too. */
const EMAILS_AN_ADDRESS = 100
const BOUNCED_EVERY = 20
const ROUNDS = 5
const BOOK_ID = "cb_00000000000000000000000001"
const BOOK = `/contact-books/${BOOK_ID}`
const emailId = (index: number) => `em_${String(index).padStart(26, "0")}`
/** After the 500th of the oldest thousand, which both have. */
const DEEP = Buffer.from(emailId(500)).toString("base64url")

/** The same calls among a thousand stored emails, and then among many. */
export async function measureScale(platform: Platform, loader: Loader, stored: number) {
  const { api } = apiCalls(platform)
  const service = { port: platform.ports.edgepost, connections: 8, seconds: 1 }
  const sent = { call: api("POST", "/emails", message()), status: 201, settles: true }
  const calls: Pick<Operation, "name" | "call" | "status" | "settles">[] = [
    { name: "accept one, sent at once", ...sent },
    { name: "accept one", call: api("POST", "/emails", laterMessage()), status: 201 },
    { name: "GET /emails", call: api("GET", "/emails"), status: 200 },
    { name: "GET /emails?to=", call: api("GET", "/emails?to=reader-7@example.com"), status: 200 },
    { name: "GET /emails?status=", call: api("GET", "/emails?status=bounced"), status: 200 },
    {
      name: "GET /emails, a page at the end",
      call: api("GET", `/emails?cursor=${DEEP}`),
      status: 200,
    },
    { name: "GET /stats", call: api("GET", "/stats"), status: 200 },
    { name: "GET contacts", call: api("GET", `${BOOK}/contacts`), status: 200 },
    { name: "GET contacts?q=", call: api("GET", `${BOOK}/contacts?q=reader-77`), status: 200 },
  ]
  const { db, credentials } = platform
  await db
    .prepare(
      "insert into contact_books (team_id, id, name, created_at, updated_at) values (?, ?, 'Readers', 0, 0)",
    )
    .bind(credentials.teamId, BOOK_ID)
    .run()
  const runs = new Map<string, { few: Run[]; many: Run[]; rows: number[] }>(
    calls.map(({ name }) => [name, { few: [], many: [], rows: [] }]),
  )
  const measure = async (size: "few" | "many") => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const { name, ...asked } of calls) {
        runs.get(name)?.[size].push(await loader.run({ ...service, ...asked }))
      }
    }
    for (const { name, call } of calls) {
      const reply = await send(platform.ports.recorder, call)
      runs.get(name)?.rows.push(((await reply.json()) as { rowsRead: number }).rowsRead)
    }
  }
  await fill(platform, 0, FEW)
  await fillBook(platform, BOOK_ID, 0, FEW)
  await measure("few")
  await fill(platform, FEW, stored)
  await fillBook(platform, BOOK_ID, FEW, stored)
  await measure("many")
  const cpu = (of: Run[]) => median(of.map(({ cpuMs, calls }) => cpuMs / calls))
  const p50 = (of: Run[]) => median(of.map((run) => run.p50))
  const ratios = [...runs].map(([name, { few, many, rows }]) => [
    name,
    Number((p50(many) / p50(few)).toFixed(2)),
    Number((cpu(many) / cpu(few)).toFixed(2)),
    ...rows,
  ])
  keep(stored, ratios)
  console.log(`\nAmong ${FEW} and ${stored} stored emails, medians of ${ROUNDS} rounds`)
  printTable(
    [
      "operation",
      `p50 ms ${FEW}`,
      `p50 ms ${stored}`,
      "CPU ms",
      "CPU ms",
      "by CPU",
      "rows read",
      "",
    ],
    [...runs].map(([name, { few, many, rows }]) => [
      name,
      p50(few).toFixed(1),
      p50(many).toFixed(1),
      cpu(few).toFixed(2),
      cpu(many).toFixed(2),
      (cpu(many) / cpu(few)).toFixed(2),
      rows.join(", "),
      "",
    ]),
  )
}

function keep(stored: number, ratios: (string | number)[][]): void {
  const rowsOf = (column: number) => Math.max(...ratios.map((row) => Number(row[column])))
  writeResult("scale", {
    name: "The same calls among a million",
    command: `npm run scale -- --stored ${stored}`,
    figures: {
      "emails and contacts stored": stored,
      "compared with": FEW,
      "rows that a call reads at most among a thousand": rowsOf(3),
      "rows that a call reads at most among the many": rowsOf(4),
      "largest ratio of CPU": rowsOf(2),
    },
    shows: `The same calls at a local service with a database of ${FEW} emails and contacts, and then with ${stored.toLocaleString("en-US")} of each, in one run. Ratios are of medians of ${ROUNDS} rounds with 8 connections; rows are the database's own count.`,
    doesNotShow:
      "Production, databases whose pages are not in the memory of the machine, and times where other programs run beside it: those change times, but neither rows nor, much, CPU.",
    table: {
      columns: [
        "call",
        "time, as a ratio",
        "CPU, as a ratio",
        `rows read among ${FEW}`,
        `rows read among ${stored}`,
      ],
      rows: ratios,
    },
  })
}

const EMAILS_A_STATEMENT = 20_000

/** Delivered emails of the demo team, older than all others. */
async function fill({ db, credentials }: Platform, from: number, to: number) {
  for (let first = from; first < to; first += EMAILS_A_STATEMENT) {
    const last = Math.min(first + EMAILS_A_STATEMENT, to) - 1
    const numbers = `with recursive n (i) as (select ${first} union all select i + 1 from n where i < ${last})`
    const statements = [
      `${numbers} insert into emails (team_id, id, status, sender, recipients, subject, domain_id,
         created_at, not_before)
       select ?1, printf('em_%026d', i), iif(i % ${BOUNCED_EVERY}, 'delivered', 'bounced'),
         '{"address":"hello@demo.test"}',
         '[{"address":"reader-' || (i / ${EMAILS_AN_ADDRESS}) || '@example.com","as":"to"}]', 'Hello', 'dom',
         0, 0 from n`,
      `${numbers} insert into email_recipients (team_id, address, email_id)
       select ?1, 'reader-' || (i / ${EMAILS_AN_ADDRESS}) || '@example.com', printf('em_%026d', i) from n`,
      `${numbers} insert into email_contents (team_id, email_id, body)
       select ?1, printf('em_%026d', i), hex(randomblob(150)) from n`,
    ]
    await db.batch(statements.map((text) => db.prepare(text).bind(credentials.teamId)))
  }
}
