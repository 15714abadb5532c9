import { callsOf } from "./audience.ts"
import { fillBook } from "./fill/contacts.ts"
import type { Platform } from "./platform.ts"
import { cpuMs } from "./process.ts"
import { median, printTable } from "./table.ts"

const CONTACTS = 10_000
const SEQUENCES = 3
const ROUNDS = 5
const TRIGGERS = ["sequence_runs_unsubscribed", "sequence_runs_goal"]

/**
 * Imports that change each contact of a book, with and without the triggers that look for runs. Each contact
 * has runs.
 */
export async function measureTriggers(platform: Platform) {
  const { db, credentials, workerd } = platform
  const { call } = callsOf(platform)
  const { id: bookId } = await call("POST", "/contact-books", { name: "Triggers" })
  const { teamId } = credentials
  await fillBook(db, { teamId, bookId }, { from: 0, to: CONTACTS })
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    await db
      .prepare(
        `insert into sequence_runs (team_id, id, sequence_id, contact_id, version, step_key, since, state, started_at)
         select team_id, 'run_' || ?3 || id, 'sqn_' || ?3, id, 1, 'pause', 0, 'waiting', 0
         from contacts where team_id = ?1 and book_id = ?2`,
      )
      .bind(teamId, bookId, sequence)
      .run()
  }
  const { results } = await db
    .prepare(`select name, sql from sqlite_master where type = 'trigger'`)
    .all<{ name: string; sql: string }>()
  const triggers = results.filter(({ name }) => TRIGGERS.includes(name))
  if (triggers.length !== TRIGGERS.length) throw new Error("The triggers have other names")
  let value = 0
  const importAll = async () => {
    value++
    const rows = Array.from({ length: CONTACTS }, (_, n) => `reader-${n}@example.com,${value}`)
    const before = cpuMs(workerd)
    await call("POST", `/contact-books/${bookId}/contacts/import`, {
      csv: ["email,visits", ...rows].join("\n"),
    })
    return cpuMs(workerd) - before
  }
  await importAll()
  const [having, lacking]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    having.push(await importAll())
    for (const { name } of triggers) await db.prepare(`drop trigger ${name}`).run()
    lacking.push(await importAll())
    for (const { sql } of triggers) await db.prepare(sql).run()
  }
  const [with_, without] = [median(having), median(lacking)]
  console.log(`\nAn import that changes ${CONTACTS} contacts, each in ${SEQUENCES} sequences`)
  printTable(
    ["CPU ms with the triggers", "without", "ratio", ""],
    [[with_.toFixed(0), without.toFixed(0), (with_ / without).toFixed(2), ""]],
  )
}
