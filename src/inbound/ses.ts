import type { Hono } from "hono"
import { type Env, readSettings } from "../env.ts"
import { MIB, readBody } from "../http/body.ts"
import { ApiError } from "../http/errors.ts"
import type { HttpEnv } from "../http/route.ts"
import { enqueueOutcomes } from "../queues/messages.ts"
import type { EmailReport } from "../queues/report.ts"
import { toEmailEvents } from "./ses-events.ts"
import { confirmSubscription, readSnsMessage } from "./sns.ts"

/** By then the consumer has recorded the answer, and only where none came does `Send` matter. */
const SETTLE_AFTER_SECONDS = 60

export function sesRoutes(app: Hono<HttpEnv>): void {
  app.post("/providers/ses/events", async (c) => {
    const body = Buffer.from(await readBody(c.req.raw, MIB)).toString("utf8")
    await takeSnsMessage(c.env, body)
    return c.body(null, 200)
  })
}

/**
 * SNS repeats for an hour what is not answered with success, as `setup:ses` tells it to, and then
 * puts it into a queue of its own. So an event is answered once our queue has it.
 */
async function takeSnsMessage(env: Env, body: string): Promise<void> {
  const settings = readSettings(env)
  if (settings.SES_TOPIC_ARNS.length === 0) {
    throw new ApiError("not_configured", "SES_TOPIC_ARNS is not set.")
  }
  const message = await readSnsMessage(settings, body)
  if (message.Type === "SubscriptionConfirmation") return confirmSubscription(message)
  if (message.Type !== "Notification") return
  const events = toEmailEvents(message.Message)
  const isSend = ({ type }: EmailReport) => type === "sent"
  const delaySeconds = events.some(isSend) ? SETTLE_AFTER_SECONDS : 0
  await enqueueOutcomes(env, events, delaySeconds)
}
