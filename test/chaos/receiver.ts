import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { PackedClient } from "./packed-client.ts"

/** A call that the receiver heard. */
export interface Heard {
  eventId: string
  type: string
  body: string
  emailId: string | undefined
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** A real receiver of webhooks. It answers the first call of some events with a 500. */
export async function startReceiver(
  { verifyWebhook }: Pick<PackedClient, "verifyWebhook">,
  fails: () => boolean,
) {
  const heard: Heard[] = []
  const violations: string[] = []
  const failed = new Set<string>()
  let secret = ""
  const http = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const eventId = String(request.headers["svc-event-id"])
    const event = await verifyWebhook({ headers: request.headers, body }, secret).catch((error) =>
      violations.push(`The signature of ${eventId}: ${error}`),
    )
    if (typeof event === "number") return response.writeHead(401).end()
    if (event.id !== eventId) violations.push(`${event.id} came with the header ${eventId}`)
    const isFirst = !failed.has(eventId) && !heard.some((one) => one.eventId === eventId)
    if (isFirst && fails()) {
      failed.add(eventId)
      return response.writeHead(500).end()
    }
    const { data, type } = event
    const emailId = "email" in data ? data.email.id : undefined
    heard.push({ eventId, type, body, emailId })
    return response.end()
  }).listen(0, "127.0.0.1")
  await once(http, "listening")
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    heard,
    failed,
    violations,
    setSecret: (given: string) => {
      secret = given
    },
    close: () => http.close(),
  }
}
