import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { type Edgepost, EdgepostError, type EventPage } from "../client/index.ts"
import { EVENT_TYPES } from "../worker/webhooks/events/types.ts"
import type { Terminal } from "./terminal.ts"

const LOOK_EVERY_MS = 1_000
const MAX_WAIT_MS = 30_000

/** Passes on each event of the team that happens from now on, in order, until the signal aborts. */
export async function followEvents(
  client: Edgepost,
  { signal, errors }: Terminal,
  handle: (event: EventPage["data"][number]) => unknown,
): Promise<void> {
  const removeWebhook = await keepEvents(client)
  try {
    let { after } = await client.events.position()
    if (errors.isTTY) errors.write("Following. Ctrl-C ends it.\n")
    const read = createReader(client, signal, (text) => errors.write(`${text}\n`))
    while (!signal.aborted) {
      const page = await read(after)
      if (page.reset) errors.write("The database was restored: its events are numbered anew.\n")
      for (const event of page.data) await handle(event)
      after = page.reset ? (await client.events.position()).after : page.nextAfter
      if (page.data.length === 0) await sleep(LOOK_EVERY_MS, null, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await removeWebhook()
  }
}

/** The URLs of webhooks that this command makes. */
const OWN = "https://edgepost-listen.invalid/"

/**
 * Events are stored while a team has a webhook. This one is called nowhere: nothing is at its URL,
 * and it is disabled. Beside that of another listener each makes its own, since the other may end first.
 */
async function keepEvents(client: Edgepost): Promise<() => Promise<unknown>> {
  const { data } = await client.webhooks.list({ limit: 100 })
  if (data.some(({ url }) => !url.startsWith(OWN))) return async () => {}
  const url = `${OWN}${randomUUID()}`
  const { id } = await client.webhooks.create({ url, events: [...EVENT_TYPES] })
  const remove = () => client.webhooks.remove(id)
  await client.webhooks.update(id, { enabled: false }).catch(async (error) => {
    await remove()
    throw error
  })
  return remove
}

/** Reads a page of events. While the service cannot be reached, it waits and tries again. */
function createReader(client: Edgepost, signal: AbortSignal, say: (text: string) => unknown) {
  return async (after: number): Promise<EventPage> => {
    for (let waitMs = LOOK_EVERY_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
      try {
        return await client.events.list({ after, limit: 100 }, { signal })
      } catch (error) {
        if (!(error instanceof EdgepostError) || !error.retryable) throw error
        say(`${error.message} Trying again.`)
        await sleep(waitMs, null, { signal })
      }
    }
  }
}
