import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { type Edgepost, EdgepostError, type EventPage } from "../../client/index.ts"
import { DAY_MS, HOUR_MS } from "../../lib/time.ts"
import { EVENT_TYPES } from "../../worker/webhooks/events/types.ts"
import type { Terminal } from "../terminal/terminal.ts"

const LOOK_EVERY_MS = 1_000
const MAX_WAIT_MS = 30_000

/** Passes on each event of the team that happens from now on, in order, until the signal aborts. */
export async function followEvents(
  client: Edgepost,
  { signal, errors }: Terminal,
  handle: (event: EventPage["data"][number]) => unknown,
): Promise<void> {
  const webhook = await keepEvents(client)
  try {
    let { after } = await client.events.position()
    if (errors.isTTY) errors.write("Following. Ctrl-C ends it.\n")
    const read = createReader(client, webhook.renew, signal, (text) => errors.write(`${text}\n`))
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
    await webhook.remove()
  }
}

/** The URLs of webhooks that this command makes. */
const OWN = "https://edgepost-listen.invalid/"

const RENEW_EVERY_MS = 6 * HOUR_MS
/** A listener that lives renews its webhook: one that is older was left by a listener that was killed. */
const LEFT_AFTER_MS = DAY_MS

/**
 * Events are stored while a team has a webhook. This one is called nowhere: nothing is at its URL,
 * and it is disabled. Beside that of another listener each makes its own, since the other may end first.
 */
async function keepEvents(client: Edgepost) {
  const { data: page, response } = await client.withResponse(client.webhooks.list({ limit: 100 }))
  const isNeeded = page.data.every(({ url }) => url.startsWith(OWN))
  const webhook = isNeeded ? await createWebhook(client) : null
  // The service's clock where it tells, since it has set the times.
  const now = Date.parse(response.headers.get("date") ?? "") || Date.now()
  for (const { id, url, enabled, updatedAt } of page.data) {
    const isLeft = url.startsWith(OWN) && !enabled && Date.parse(updatedAt) < now - LEFT_AFTER_MS
    if (isLeft) await client.webhooks.remove(id).catch(() => {})
  }
  return webhook ?? { renew: async () => {}, remove: async () => {} }
}

async function createWebhook(client: Edgepost) {
  let id = await createDisabled(client)
  let renewAt = Date.now() + RENEW_EVERY_MS
  /** A machine may have slept, and another listener may have deleted the webhook meanwhile. */
  async function renew() {
    if (Date.now() < renewAt) return
    try {
      await client.webhooks.update(id, { enabled: false })
    } catch (error) {
      if (!(error instanceof EdgepostError) || error.code !== "not_found") throw error
      id = await createDisabled(client)
    }
    renewAt = Date.now() + RENEW_EVERY_MS
  }
  return { renew, remove: () => client.webhooks.remove(id) }
}

async function createDisabled(client: Edgepost): Promise<string> {
  const url = `${OWN}${randomUUID()}`
  const { id } = await client.webhooks.create({ url, events: [...EVENT_TYPES] })
  await client.webhooks.update(id, { enabled: false }).catch(async (error) => {
    await client.webhooks.remove(id)
    throw error
  })
  return id
}

/** Reads a page of events. While the service cannot be reached, it waits and tries again. */
function createReader(
  client: Edgepost,
  renew: () => Promise<unknown>,
  signal: AbortSignal,
  say: (text: string) => unknown,
) {
  return async (after: number): Promise<EventPage> => {
    for (let waitMs = LOOK_EVERY_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
      try {
        await renew()
        return await client.events.list({ after, limit: 100 }, { signal })
      } catch (error) {
        if (!(error instanceof EdgepostError) || !error.retryable) throw error
        say(`${error.message} Trying again.`)
        await sleep(waitMs, null, { signal })
      }
    }
  }
}
