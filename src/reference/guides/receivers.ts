/** How frameworks receive webhooks with the client library. A test runs each example. */
export const RECEIVERS = {
  Hono: `import { createWebhookHandler } from "edgepost/webhooks"
import { Hono } from "hono"

const receive = createWebhookHandler({
  secret: process.env.WEBHOOK_SECRET,
  on: {
    "email.bounced": ({ id, data }) => console.log(id, data.email.to),
  },
})

export const app = new Hono()
app.post("/hooks/edgepost", (c) => receive(c.req.raw))`,

  "Next.js": `// app/hooks/edgepost/route.js
import { createWebhookHandler } from "edgepost/webhooks"

export const POST = createWebhookHandler({
  secret: process.env.WEBHOOK_SECRET,
  on: {
    "email.bounced": ({ id, data }) => console.log(id, data.email.to),
  },
})`,

  Express: `import { verifyWebhook, WebhookVerificationError } from "edgepost/webhooks"
import express from "express"

export const app = express()
const rawBody = express.raw({ type: "application/json", limit: "2mb" })

app.post("/hooks/edgepost", rawBody, async (request, response) => {
  try {
    const { id, type, data } = await verifyWebhook(request, process.env.WEBHOOK_SECRET)
    if (type === "email.bounced") console.log(id, data.email.to)
    response.sendStatus(200)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.sendStatus(401)
  }
})`,
}
