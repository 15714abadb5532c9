import type { Command } from "commander"
import {
  type Edgepost,
  EdgepostError,
  type EmailEvent,
  type EmailWithEvents,
} from "../client/index.ts"
import { eachChangedEmail } from "./changes.ts"
import { withExamples } from "./examples.ts"
import { clean, paintStatus } from "./paint.ts"
import { openSession, type Session } from "./session.ts"
import type { Terminal } from "./terminal.ts"
import { detailOf } from "./timeline.ts"

/** An entry of the moment when the tail began may carry the clock of another machine. */
const CLOCKS_DIFFER_MS = 10_000
const REMEMBERED_EMAILS = 10_000

export function addTail(emails: Command, terminal: Terminal): void {
  const command = emails
    .command("tail")
    .description("Follow what happens to emails, until Ctrl-C: a line for each event")
    .argument("[id]", "an email, to show all of its timeline; without it, every email")
    .action((id?: string) => tail(openSession(command, terminal), terminal, id))
  withExamples(
    command,
    "edgepost emails tail",
    "edgepost emails tail em_1",
    "edgepost emails tail --json",
  )
}

async function tail(session: Session, { signal, errors }: Terminal, only?: string): Promise<void> {
  const { client } = session
  const since = only ? 0 : Date.now() - CLOCKS_DIFFER_MS
  const seen = openSeen(since)
  const show = async (id: string) => {
    if (only && id !== only) return
    const email = await readEmail(client, id)
    for (const event of email ? seen.fresh(email) : []) printEvent(session, email!, event)
  }
  const stream = client.stream({ signal })
  try {
    await stream.connected
    if (errors.isTTY) errors.write("Following. Ctrl-C ends it.\n")
    if (only) await client.emails.get(only).then(() => show(only))
    await eachChangedEmail(stream, show, () => {
      errors.write("Some changes were missed, and are no longer kept.\n")
    })
  } finally {
    await stream.return()
  }
}

/** An email with its whole timeline; null when it was erased or purged meanwhile. */
async function readEmail(client: Edgepost, id: string): Promise<EmailWithEvents | null> {
  try {
    const email = await client.emails.get(id)
    let { eventsCursor } = email
    while (eventsCursor) {
      const more = await client.emails.get(id, { eventsCursor })
      email.events.push(...more.events)
      eventsCursor = more.eventsCursor
    }
    return email
  } catch (error) {
    if (error instanceof EdgepostError && error.code === "not_found") return null
    throw error
  }
}

/** The entries that were not printed yet. Of an older email, those from before the tail are left out. */
function openSeen(since: number) {
  const byEmail = new Map<string, Set<string>>()
  return {
    fresh({ id, events }: EmailWithEvents): EmailEvent[] {
      const known = byEmail.get(id)
      byEmail.set(id, new Set(events.map((event) => event.id)))
      const [oldest] = byEmail.keys()
      if (byEmail.size > REMEMBERED_EMAILS) byEmail.delete(oldest!)
      if (known) return events.filter((event) => !known.has(event.id))
      // A provider may tell late: what changed just now is the newest entry, whatever its time is.
      const newest = events.at(-1)
      return events.filter((one) => one === newest || Date.parse(one.occurredAt) >= since)
    },
  }
}

function printEvent({ print, paint }: Session, email: EmailWithEvents, event: EmailEvent): void {
  const { id, to, subject } = email
  const type = paintStatus(paint, event.type, event.type.padEnd(10))
  const line = `${event.occurredAt}  ${type} ${clean(`${to.join(", ")}  ${subject}`)}  ${id}`
  const detail = detailOf(event)
  print({ emailId: id, to, subject, event }, detail ? `${line}  ${paint("dim", detail)}` : line)
}
