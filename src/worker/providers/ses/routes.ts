import type { Hono } from "hono"
import { enqueueOutcomes } from "../../emails/outcomes/queue.ts"
import type { EmailReport } from "../../emails/outcomes/report.ts"
import { DIRECTORY, databaseEnv } from "../../platform/db/databases.ts"
import { type Env, readSettings } from "../../platform/env.ts"
import { ApiError } from "../../platform/http/errors.ts"
import { MIB, readBody } from "../../platform/http/input/body.ts"
import type { HttpEnv } from "../../platform/http/route.ts"

/** By then the consumer has recorded the answer. A `Send` event matters only if no answer came. */
const SETTLE_AFTER_SECONDS = 60

export function sesRoutes(app: Hono<HttpEnv>): void {
  app.post("/providers/ses/events", async (c) => {
    const body = Buffer.from(await readBody(c.req.raw, MIB)).toString("utf8")
    await takeSnsMessage(c.env, body)
    return c.body(null, 200)
  })
}

/**
 * SNS repeats a message for an hour until it gets a success, and then puts it into a queue of its
 * own (see `setup:ses`). So the reply waits until our queue has the event.
 */
async function takeSnsMessage(env: Env, body: string): Promise<void> {
  const settings = readSettings(env)
  if (settings.SES_TOPIC_ARNS.length === 0) {
    throw new ApiError("not_configured", "SES_TOPIC_ARNS is not set.")
  }
  const { confirmSubscription, readSnsMessage } = await import("./sns.ts")
  const { readSesEvent } = await import("./events.ts")
  const message = await readSnsMessage(settings, body)
  if (message.Type === "SubscriptionConfirmation") return confirmSubscription(message)
  if (message.Type !== "Notification") return
  const reports = readSesEvent(message.Message)
  const { database = DIRECTORY } = reports[0] ?? {}
  const isSend = ({ type }: EmailReport) => type === "sent"
  const delaySeconds = reports.every(isSend) ? SETTLE_AFTER_SECONDS : 0
  await enqueueOutcomes(databaseEnv(env, database), reports, delaySeconds)
}
