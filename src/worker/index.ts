import { createApp } from "./app.ts"
import { consume, type QueueMessage } from "./consume.ts"
import { runCron } from "./cron.ts"
import type { Env } from "./platform/env.ts"
import { openWork } from "./platform/work.ts"

export { TeamStream } from "./stream/team-stream.ts"

const app = createApp()

export default {
  fetch: app.fetch,
  queue: (batch, env, execution) => consume(openWork(env, execution), batch),
  scheduled: (_event, env, execution) => runCron(openWork(env, execution)),
} satisfies ExportedHandler<Env, QueueMessage>
