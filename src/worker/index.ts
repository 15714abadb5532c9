import type { QueueMessage } from "./consume.ts"
import type { Env } from "./platform/env.ts"
import { prepare } from "./platform/installation/prepare.ts"
import { createWork } from "./platform/work.ts"
import { createSends } from "./sends.ts"

export { ProviderRates } from "./emails/sending/pacing/provider-rates.ts"
export { TeamStream } from "./stream/team-stream.ts"

const sends = createSends()
const isSend = ({ method, path }: { method: string; path: string }) =>
  sends.routes.some((route) => route.method === method && route.path === path)

/** The rest is evaluated at its first use. */
export default {
  async fetch(request: Request, env, execution) {
    const call = { method: request.method, path: new URL(request.url).pathname }
    const app = isSend(call) ? sends : (await import("./app.ts")).app
    return app.fetch(request, env, execution)
  },
  async queue(batch, env, execution) {
    const { consume } = await import("./consume.ts")
    await consume(createWork(await prepare(env), execution), batch)
  },
  async scheduled(_event, env, execution) {
    const { runCron } = await import("./cron.ts")
    await runCron(createWork(await prepare(env), execution))
  },
  async email(message, env, execution) {
    const { receive } = await import("./received/taking/email.ts")
    await receive(createWork(await prepare(env), execution), message)
  },
} satisfies ExportedHandler<Env, QueueMessage>
