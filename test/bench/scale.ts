import type { Loader, Run } from "./loader.ts"
import { apiCalls, laterMessage, message, type Operation, send } from "./operations.ts"
import type { Platform } from "./platform.ts"
import { median, printTable } from "./table.ts"

const FEW = 1_000
/** So that a page by address or by status is full among a thousand emails, too. */
const EMAILS_AN_ADDRESS = 100
const BOUNCED_EVERY = 20
const ROUNDS = 5

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
    { name: "GET /stats", call: api("GET", "/stats"), status: 200 },
  ]
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
  await measure("few")
  await fill(platform, FEW, stored)
  await measure("many")
  const cpu = (of: Run[]) => median(of.map(({ cpuMs, calls }) => cpuMs / calls))
  const p50 = (of: Run[]) => median(of.map((run) => run.p50))
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
