import { callsOf, until } from "./audience.ts"
import { sendLone } from "./beside.ts"
import { fillBook, SUBSCRIBED_OF_HUNDRED } from "./fill/contacts.ts"
import type { Platform } from "./platform.ts"
import { residentMib } from "./process.ts"
import { printTable } from "./table.ts"

const LINES = 6
const IMPORTED_AT_ONCE = 10_000

type Call = ReturnType<typeof callsOf>["call"]

interface Way {
  trigger(call: Call, bookId: string): Promise<object>
  /** Lets the contacts of the book enter; answers how many do. */
  enter(platform: Platform, call: Call, at: { bookId: string; id: string }): Promise<number>
}

const waysOf = (contacts: number): Record<string, Way> => ({
  segment: {
    async trigger(call, bookId) {
      const filter = { all: [{ field: "properties.plan", op: "set" }] }
      const segment = await call("POST", "/segments", { name: "All", bookId, filter })
      return { on: "segment", segmentId: segment.id }
    },
    async enter({ db, credentials, tick }, _, { bookId, id }) {
      const look = () => db.prepare("update sequences set look_at = 0 where id = ?").bind(id).run()
      await tick()
      await until(async () => (await isLookedAt(db, id)) > 0, 100)
      await fillBook(db, { teamId: credentials.teamId, bookId }, { from: 0, to: contacts })
      await look()
      void tick()
      return (contacts / 100) * SUBSCRIBED_OF_HUNDRED
    },
  },
  import: {
    trigger: async () => ({ on: "subscribed", imports: true }),
    async enter(_, call, { bookId }) {
      const importAll = async () => {
        for (let first = 0; first < contacts; first += IMPORTED_AT_ONCE) {
          const rows = Array.from(
            { length: IMPORTED_AT_ONCE },
            (_, n) => `n${first + n}@example.com`,
          )
          await call("POST", `/contact-books/${bookId}/contacts/import`, {
            csv: ["email", ...rows].join("\n"),
          })
        }
      }
      void importAll()
      return contacts
    },
  },
})

const isLookedAt = async (db: D1Database, id: string) =>
  (await db
    .prepare("select segment_since from sequences where id = ?")
    .bind(id)
    .first<number>("segment_since")) ?? 0

/** A whole book enters a sequence at once: when its first mail leaves, memory, and lone emails of another team. */
export async function measureEntering(
  platform: Platform,
  { contacts, only }: { contacts: number; only: readonly string[] },
) {
  const { call, tick } = callsOf(platform)
  const { data: domains } = await call("GET", "/domains")
  await sendLone(platform)
  for (const [name, way] of Object.entries(waysOf(contacts))) {
    if (only.length > 0 && !only.includes(name)) continue
    const { id: bookId } = await call("POST", "/contact-books", { name })
    const { id } = await call("POST", "/sequences", {
      ...{ bookId, name: "Welcome", domainId: domains[0].id, from: "News <news@demo.test>" },
      trigger: await way.trigger(call, bookId),
      steps: [
        {
          ...{ key: "hello", kind: "send", subject: "Hello" },
          blocks: [{ kind: "text", html: "Hi {{ firstName }}" }],
        },
        { key: "pause", kind: "wait", for: "30d" },
      ],
    })
    await call("POST", `/sequences/${id}/activate`, {})
    const lines: string[][] = []
    const alone = await sendLone(platform)
    const before = residentMib(platform.workerd).toFixed(0)
    const expected = await way.enter(platform, call, { bookId, id })
    const startedAt = performance.now()
    lines.push(["before", "0.0", before, ...alone])
    const note = async (what: string, ...lone: string[]) => {
      const seconds = (performance.now() - startedAt) / 1_000
      lines.push([what, seconds.toFixed(1), residentMib(platform.workerd).toFixed(0), ...lone])
    }
    await until(() => hasSent(platform.db, id), 20)
    await note("first mail has left", "", "", "")
    for (let step = 1; step <= LINES; step++) {
      const goal = Math.round((expected * step) / LINES)
      const lone = await sendLone(platform)
      await until(
        async () => (await call("GET", `/sequences/${id}`)).counts.entered >= goal,
        500,
        tick,
      )
      await note(`${goal} have entered`, ...lone)
    }
    console.log(`\n${expected} contacts enter a sequence at once, by ${name}`)
    printTable(
      ["", "seconds", "workerd MiB", "lone: ms until accepted", "ms until sent", ""],
      lines,
    )
    await judge(platform, id, expected)
  }
}

const hasSent = async (db: D1Database, id: string) =>
  (await db
    .prepare("select sent from sequence_steps where sequence_id = ? and sent > 0")
    .bind(id)
    .first()) !== null

/** Nobody has two runs, or two emails. */
async function judge({ db, credentials }: Platform, id: string, expected: number) {
  const found = await db
    .prepare(
      `select count(*) as runs, count(distinct contact_id) as people from sequence_runs
       where team_id = ?1 and sequence_id = ?2`,
    )
    .bind(credentials.teamId, id)
    .first()
  const mails = await db
    .prepare(
      `select count(*) as emails, count(distinct contact_id) as people from emails
       where team_id = ?1 and campaign_id = ?2`,
    )
    .bind(credentials.teamId, id)
    .first()
  const wanted = {
    found: { runs: expected, people: expected },
    mails: { emails: expected, people: expected },
  }
  if (JSON.stringify({ found, mails }) !== JSON.stringify(wanted)) {
    throw new Error(`${JSON.stringify({ found, mails })}, not ${JSON.stringify(wanted)}`)
  }
}
