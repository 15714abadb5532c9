import { createServer } from "node:http"
import { buffer } from "node:stream/consumers"
import { Edgepost } from "edgepost"
import { verifyWebhook, WebhookVerificationError } from "edgepost/webhooks"
import { openStore } from "./store.js"

/**
 * A receiver that may be down for a day. While it runs, deliveries bring the events at once, and the
 * id of an event keeps a repeated delivery from being handled twice. When it comes back, it reads
 * what it missed: events have numbers without a gap and are kept for 30 days.
 */
export async function startReceiver({ webhookId, secret, file, port, handle }) {
  const edgepost = new Edgepost()
  const store = openStore(file)
  let turn = Promise.resolve()

  /** One event at a time, so that two deliveries of one event do not run side by side. */
  function once(event) {
    const done = turn.then(async () => {
      if (store.has(event.id)) return
      await handle(event)
      store.add(event.id)
    })
    turn = done.catch(() => {})
    return done
  }

  async function catchUp() {
    const { enabled, events } = await edgepost.webhooks.get(webhookId)
    // After 24 hours without a success the service disables a webhook.
    if (!enabled) await edgepost.webhooks.update(webhookId, { enabled: true })
    for (;;) {
      const { data, nextAfter } = await edgepost.events.list({ after: store.after, limit: 100 })
      if (data.length === 0) return
      for (const event of data) if (events.includes(event.type)) await once(event)
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
      if (sequence > store.after) await once(event)
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
