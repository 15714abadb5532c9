import type { Code } from "../../ui/request/request-codes.ts"

export const verifyCodes = (): Code[] => [
  {
    name: "Library",
    code: `import { verifyWebhook } from "edgepost/webhooks"

const secret = process.env.EDGEPOST_WEBHOOK_SECRET ?? ""

export async function POST(request: Request) {
  const event = await verifyWebhook(request, secret)
  if (event.type === "email.bounced") {
    console.log(event.data.email.to, event.data.event.diagnosticCode)
  }
  return new Response("ok")
}
`,
  },
  {
    name: "Handler",
    code: `import { createWebhookHandler } from "edgepost/webhooks"

export const POST = createWebhookHandler({
  secret: process.env.EDGEPOST_WEBHOOK_SECRET ?? "",
  on: {
    "email.bounced": ({ data }) => console.log(data.email.to),
  },
})
`,
  },
  {
    name: "Standard Webhooks",
    code: `import { Webhook } from "standardwebhooks"

const webhook = new Webhook(process.env.EDGEPOST_WEBHOOK_SECRET ?? "")

export async function POST(request: Request) {
  const event = webhook.verify(await request.text(), Object.fromEntries(request.headers))
  return new Response("ok")
}
`,
  },
]
