import { createApp } from "./app.ts"
import { consume, type QueueMessage } from "./consume.ts"
import { runCron } from "./cron.ts"
import type { Env } from "./platform/env.ts"
import { createWork } from "./platform/work.ts"

export { ProviderRates } from "./emails/sending/provider-rates.ts"
export { TeamStream } from "./stream/team-stream.ts"

const app = createApp()

export default {
  fetch: app.fetch,
  queue: (batch, env, execution) => consume(createWork(env, execution), batch),
  scheduled: (_event, env, execution) => runCron(createWork(env, execution)),
} satisfies ExportedHandler<Env, QueueMessage>
