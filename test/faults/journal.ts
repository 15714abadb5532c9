import { env } from "cloudflare:workers"
import type { Announcement } from "../../src/worker/stream/history.ts"
import { databasesOf } from "../support/installation.ts"
import type { Fault, Invocation } from "./invocation.ts"
import { createSubscriptions, isOfSubscriptions, SUBSCRIPTIONS_SCHEMA } from "./subscriptions.ts"

/** A change that was committed and that no stream has been told of since. */
interface Untold {
  version: number
  by: string
}

export interface Handover {
  emailId: string
  /** An address. */
  sender: string
  at: number
  invocation: Invocation
  /** Of its own call. */
  fault: Fault | undefined
  /** The number of faults of the process up to its own. */
  faultsBefore: number
  /** Whether the reply said that it was taken. */
  isAnswered: boolean
}

type Sent = Pick<Handover, "emailId" | "sender">

/** What a hand-over leads to, in the timeline. */
const RECORDS = ["sent", "delivered", "bounced", "complained", "failed"]

export type Positions = ReadonlyMap<D1Database, number>

/**
 * Triggers write down what the streams must tell: timeline entries, attempts, changed webhooks. A move
 * between databases copies entries, and tells nothing.
 */
const JOURNAL_SCHEMA = [
  "create table if not exists journal (seq integer primary key autoincrement, type text, team_id text, id text, detail text)",
  `create trigger if not exists journal_entries after insert on email_events
    when not exists (select 1 from team_fences where team_id = new.team_id and mode = 'open') begin
    insert into journal (type, team_id, id, detail)
      values ('email', new.team_id, new.email_id, new.type); end`,
  `create trigger if not exists journal_attempts after update of attempts on deliveries
    when new.attempts <> old.attempts begin
    insert into journal (type, team_id, id) values ('webhook', new.team_id, new.webhook_id); end`,
  `create trigger if not exists journal_webhooks after update of url, events, enabled on webhooks
    begin insert into journal (type, team_id, id) values ('webhook', new.team_id, new.id); end`,
  ...SUBSCRIPTIONS_SCHEMA,
]

export async function createJournals(): Promise<void> {
  for (const db of databasesOf(env)) {
    for (const statement of JOURNAL_SCHEMA) await db.prepare(statement).run()
  }
}

export type Journal = ReturnType<typeof createJournal>

/** What the invocations have committed, handed over and told. */
export function createJournal(now: () => number) {
  const lasts = new Map<D1Database, number>()
  const untold = new Map<string, Untold>()
  const handovers: Handover[] = []
  const subscriptions = createSubscriptions()
  /** The first record of each email's hand-over. */
  const recorded = new Map<string, { db: D1Database; seq: number }>()
  /** By the announcement and its place there: what is told again is told once. */
  const published = new Map<string, { teamId: string; change: string }>()

  return {
    handovers,
    recorded: recorded as ReadonlyMap<string, { db: D1Database; seq: number }>,
    published,
    subscriptions,
    /** By database, the number of the latest commit that somebody has heard of. */
    positions: (): Positions => new Map(lasts),
    untold: () => [...untold].map(([change, { by }]) => `${change}, committed by ${by}`),

    selectNews: (db: D1Database) =>
      db.prepare("select * from journal where seq > ? order by seq").bind(lasts.get(db) ?? 0),

    noteCommit(db: D1Database, { results }: D1Result, { label }: Pick<Invocation, "label">) {
      for (const row of results as Record<string, string | number>[]) {
        const { seq, type, team_id, id } = row
        const version = Number(seq)
        if (version <= (lasts.get(db) ?? 0)) continue
        lasts.set(db, version)
        if (RECORDS.includes(String(row.detail)) && !recorded.has(String(id)))
          recorded.set(String(id), { db, seq: version })
        if (isOfSubscriptions(row)) subscriptions.note(row)
        else untold.set(`${team_id} ${type} ${id}`, { version, by: label })
      }
    },

    noteStatement(
      { query, values }: { query: string; values: readonly unknown[] },
      { invocation, fault, faultsBefore }: Pick<Handover, "invocation" | "fault" | "faultsBefore">,
    ) {
      if (!query.trimStart().startsWith("insert into sandbox_messages")) return
      const rows = values.flatMap((value) => JSON.parse(String(value)) as Sent[])
      const at = now() + invocation.tookMs()
      const told = { at, invocation, fault, faultsBefore, isAnswered: true }
      handovers.push(...rows.map(({ emailId, sender }) => ({ emailId, sender, ...told })))
    },

    /**
     * A publication tells what was committed before it began. An object that dies meanwhile may have
     * told it all the same: `readUntold` asks its successor.
     */
    async tell<T>(
      teamId: string,
      announced: readonly Announcement[],
      work: () => Promise<T>,
      readUntold: (ids: string[]) => Promise<string[]>,
    ): Promise<T> {
      const changes = announced.flatMap((one) => one.changes)
      const names = changes.map(({ type, id }) => `${teamId} ${type} ${id}`)
      const versions = new Map(names.map((name) => [name, untold.get(name)?.version]))
      const noteTold = (told: readonly Announcement[]) => {
        for (const { id, changes } of told) {
          changes.forEach(({ type, id: of }, index) => {
            const name = `${teamId} ${type} ${of}`
            if (untold.get(name)?.version === versions.get(name)) untold.delete(name)
            published.set(`${teamId} ${id} ${index}`, {
              teamId,
              change: JSON.stringify({ type, id: of }),
            })
          })
        }
      }
      try {
        const answer = await work()
        noteTold(announced)
        return answer
      } catch (error) {
        const left = announced.length > 0 ? await readUntold(announced.map(({ id }) => id)) : []
        noteTold(announced.filter(({ id }) => !left.includes(id)))
        throw error
      }
    },
  }
}
