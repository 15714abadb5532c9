import { Edgepost, EdgepostError } from "edgepost"
import { verifyWebhook, WebhookVerificationError } from "edgepost/webhooks"
import express from "express"

// SVC_API_KEY and SVC_BASE_URL are in the environment.
const edgepost = new Edgepost()
const app = express()

app.post("/invite", express.json(), async (request, response) => {
  const { id } = await edgepost.emails.send({
    from: process.env.MAIL_FROM,
    to: request.body.email,
    subject: "You are invited",
    text: "Come in.",
  })
  response.status(201).json({ id })
})

// The signature covers the body as it arrived, so this route reads it as bytes. Received mail may take 1.2 MB.
const rawBody = express.raw({ type: () => true, limit: "2mb" })
app.post("/hooks/edgepost", rawBody, async (request, response) => {
  // Without a body, Express sets no bytes.
  const body = Buffer.isBuffer(request.body) ? request.body.toString() : ""
  const event = await verifyWebhook({ headers: request.headers, body }, process.env.WEBHOOK_SECRET)
  console.log(event.type, event.id)
  response.sendStatus(200)
})

app.use((error, _request, response, _next) => {
  if (error instanceof WebhookVerificationError) return response.sendStatus(401)
  console.error(error)
  if (!(error instanceof EdgepostError)) return response.sendStatus(500)
  // The service's own answer may name your domain, key or limits: it is not for visitors.
  return response.status(502).json({ error: "The email could not be sent." })
})

export const server = app.listen(process.env.PORT ?? 3000)
