// @ts-expect-error: the built Worker, beside this module when the bench runs
import service, { ProviderRates, TeamStream } from "./index.js"

export { ProviderRates, TeamStream }

/**
 * The service with rate limits that count in memory, as Cloudflare counts them on the machine of
 * the Worker. Miniflare asks a Durable Object that writes a row: as much work as an insert.
 */
const counts = new Map<string, number>()
const counting = {
  limit: async ({ key }: { key: string }) => {
    counts.set(key, (counts.get(key) ?? 0) + 1)
    return { success: true }
  },
}

let known: object | undefined
const withLimits = (env: object) =>
  (known ??= { ...env, API_RATE_LIMIT: counting, TEAM_RATE_LIMIT: counting })

export default {
  fetch: (request: Request, env: object, execution: ExecutionContext) =>
    service.fetch(request, withLimits(env), execution),
  queue: (batch: MessageBatch, env: object, execution: ExecutionContext) =>
    service.queue(batch, withLimits(env), execution),
  scheduled: (event: ScheduledController, env: object, execution: ExecutionContext) =>
    service.scheduled(event, withLimits(env), execution),
}
