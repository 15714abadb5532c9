import { createApp } from "./app.ts"
import { consume, type QueueMessage } from "./consume.ts"
import { runCron } from "./cron.ts"
import type { Env } from "./platform/env.ts"
import { prepare } from "./platform/installation/prepare.ts"
import { createWork } from "./platform/work.ts"

export { ProviderRates } from "./emails/sending/provider-rates.ts"
export { TeamStream } from "./stream/team-stream.ts"

const app = createApp()

export default {
  fetch: app.fetch,
  queue: async (batch, env, execution) => consume(createWork(await prepare(env), execution), batch),
  scheduled: async (_event, env, execution) => runCron(createWork(await prepare(env), execution)),
  email: async (message, env, execution) => {
    const { receive } = await import("./received/email.ts")
    await receive(createWork(await prepare(env), execution), message)
  },
} satisfies ExportedHandler<Env, QueueMessage>
