import { Edgepost, EdgepostError } from "edgepost"
import { createWebhookHandler } from "edgepost/webhooks"
import { Hono } from "hono"

interface Bindings {
  /** Secrets: `wrangler secret put SVC_API_KEY`. */
  SVC_API_KEY: string
  WEBHOOK_SECRET: string
  /** A variable in wrangler.toml. */
  SVC_BASE_URL: string
  MAIL_FROM: string
}

const app = new Hono<{ Bindings: Bindings }>()

app.post("/orders/:id/confirm", async (c) => {
  const edgepost = new Edgepost({ apiKey: c.env.SVC_API_KEY, baseUrl: c.env.SVC_BASE_URL })
  const { email } = await c.req.json<{ email: string }>()
  const order = c.req.param("id")
  const { id } = await edgepost.emails.send(
    { from: c.env.MAIL_FROM, to: email, subject: `Order ${order}`, text: "It is on its way." },
    { idempotencyKey: `order/${order}` },
  )
  return c.json({ id }, 201)
})

app.post("/hooks/edgepost", (c) =>
  createWebhookHandler({
    secret: c.env.WEBHOOK_SECRET,
    on: {
      "email.bounced": ({ data }) => {
        if ("email" in data) console.log(`Bounced: ${data.email.to.join()}`)
      },
    },
  })(c.req.raw),
)

app.onError((error, c) => {
  console.error(error)
  // The service's own answer may name your domain, key or limits: it is not for visitors.
  if (error instanceof EdgepostError) return c.json({ error: "The email could not be sent." }, 502)
  return c.text("Internal Server Error", 500)
})

export default app
