import { createServer } from "node:http"
import { buffer } from "node:stream/consumers"
import { Edgepost } from "edgepost"
import { verifyWebhook, WebhookVerificationError } from "edgepost/webhooks"
import { openStore } from "./store.js"

/**
 * A receiver that may be down for a day. While it runs, deliveries bring the events at once, and the
 * id of an event keeps a repeated delivery from being handled twice. When it comes back, it reads
 * what it missed: events have numbers without a gap and are kept for 30 days. After a restore of the
 * service's database, which gives numbers out again, it handles the kept events from the first on.
 */
export async function startReceiver({ webhookId, secret, file, port, handle }) {
  const edgepost = new Edgepost()
  const store = openStore(file)
  let turn = Promise.resolve()
  let reading = null

  /** One event at a time, so that two deliveries of one event do not run side by side. */
  function once(event, sequence) {
    const done = turn.then(async () => {
      if (!(sequence > store.after) || store.has(event.id)) return
      await handle(event)
      store.add(event.id)
    })
    turn = done.catch(() => {})
    return done
  }

  function catchUp() {
    reading ??= readMissed().finally(() => {
      reading = null
    })
    return reading
  }

  async function readMissed() {
    const { enabled, events } = await edgepost.webhooks.get(webhookId)
    // After 24 hours without a success the service disables a webhook.
    if (!enabled) await edgepost.webhooks.update(webhookId, { enabled: true })
    for (;;) {
      const page = await edgepost.events.list({ after: store.after, limit: 100 })
      const { data, nextAfter, reset } = page
      if (data.length === 0 && !reset) return
      for (const event of data) if (events.includes(event.type)) await once(event, event.sequence)
      store.moveTo(
        nextAfter,
        data.map(({ id }) => id),
      )
    }
  }

  const server = createServer(async (request, response) => {
    try {
      const body = (await buffer(request)).toString()
      const event = await verifyWebhook({ headers: request.headers, body }, secret)
      const sequence = Number(request.headers["svc-event-sequence"])
      // A repeated delivery, or the first one after a restore.
      if (sequence <= store.after) await catchUp()
      await once(event, sequence)
      response.writeHead(200).end()
    } catch (error) {
      // Anything but 2xx makes the service try again.
      response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end()
    }
  })
  await new Promise((resolve) => server.listen(port, resolve))
  await catchUp()
  return { catchUp, stop: () => new Promise((resolve) => server.close(resolve)) }
}
