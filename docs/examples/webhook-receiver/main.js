import { startReceiver } from "./receiver.js"

// SVC_API_KEY (a full key) and SVC_BASE_URL are in the environment, too.
const { catchUp } = await startReceiver({
  webhookId: process.env.WEBHOOK_ID,
  secret: process.env.WEBHOOK_SECRET,
  file: "handled.json",
  port: Number(process.env.PORT ?? 3000),
  handle: async (event) => console.log(event.type, event.id),
})

// Now and then, in case a delivery was given up while this process ran.
setInterval(() => catchUp().catch(console.error), 3_600_000)
