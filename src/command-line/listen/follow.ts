import {
  type Edgepost,
  EdgepostError,
  type EmailEvent,
  type EmailWithEvents,
} from "../../client/index.ts"
import type { Terminal } from "../terminal/terminal.ts"
import { eachChangedEmail } from "./changes.ts"

/** The clocks of this machine and of the service may differ by this much. */
const CLOCKS_DIFFER_MS = 10_000
const REMEMBERED_EMAILS = 10_000

/**
 * Passes on each new entry of the timelines, until the signal aborts. With `only`: every entry of one
 * email.
 */
export async function followEmails(
  client: Edgepost,
  { signal, errors }: Terminal,
  tell: (email: EmailWithEvents, event: EmailEvent) => unknown,
  only?: string,
): Promise<void> {
  const seen = createSeen(only ? 0 : Date.now() - CLOCKS_DIFFER_MS)
  const show = async (id: string) => {
    if (only && id !== only) return
    const email = await readEmail(client, id).catch(nullIfGone)
    for (const event of email ? seen.fresh(email) : []) await tell(email!, event)
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

/** An email with its whole timeline. */
async function readEmail(client: Edgepost, id: string): Promise<EmailWithEvents> {
  const email = await client.emails.get(id)
  let { eventsCursor } = email
  while (eventsCursor) {
    const more = await client.emails.get(id, { eventsCursor })
    email.events.push(...more.events)
    eventsCursor = more.eventsCursor
  }
  return email
}

/** What was told of may be erased or purged before it is read. */
export function nullIfGone(error: unknown): null {
  if (error instanceof EdgepostError && error.code === "not_found") return null
  throw error
}

/** Finds the entries that are not printed yet. Entries from before the command started are left out. */
function createSeen(since: number) {
  const byEmail = new Map<string, Set<string>>()
  return {
    fresh({ id, events }: EmailWithEvents): EmailEvent[] {
      const known = byEmail.get(id)
      byEmail.set(id, new Set(events.map((event) => event.id)))
      const [oldest] = byEmail.keys()
      if (byEmail.size > REMEMBERED_EMAILS) byEmail.delete(oldest!)
      if (known) return events.filter((event) => !known.has(event.id))
      // A provider may report late, so the newest entry counts even if its time is older.
      const newest = events.at(-1)
      return events.filter((one) => one === newest || Date.parse(one.occurredAt) >= since)
    },
  }
}
