import type { Database } from "../installation.ts"
import { inJurisdiction } from "./bucket.ts"
import type { Change } from "./change.ts"
import type { Cloudflare } from "./cloudflare.ts"
import { Failure, OTHER_NAME } from "./failure.ts"

export interface Queue {
  queue_name: string
  queue_id: string
  consumers?: { script?: string; script_name?: string; service?: string }[]
}

/** The names of the Workers that consume a queue. */
export const consumersOf = ({ consumers = [] }: Queue) =>
  consumers.map(({ script, script_name, service }) => script ?? script_name ?? service)

/**
 * Creates the queues that are missing, in the jurisdiction that all databases have. Refuses one that another
 * Worker consumes. https://developers.cloudflare.com/queues/configuration/data-location/
 */
export async function queueChanges(
  cloudflare: Cloudflare,
  accountId: string,
  {
    names,
    worker,
    databases,
  }: { names: readonly string[]; worker: string; databases: readonly Database[] },
): Promise<Change[]> {
  const path = `/accounts/${accountId}/queues`
  const known = await cloudflare.list<Queue>("Looking for the queues", path)
  for (const queue of known) {
    const other = consumersOf(queue).find((consumer) => consumer && consumer !== worker)
    if (!names.includes(queue.queue_name) || !other) continue
    throw new Failure(`The queue ${queue.queue_name} belongs to the Worker '${other}'.`, OTHER_NAME)
  }
  const [jurisdiction, ...others] = new Set(databases.map((database) => database.jurisdiction))
  const place = jurisdiction && others.length === 0 ? { jurisdiction } : {}
  const missing = names.filter((name) => known.every(({ queue_name }) => queue_name !== name))
  return missing.map((name) => ({
    says: `creates the queue ${name}${inJurisdiction(place.jurisdiction)}`,
    apply: () =>
      cloudflare.call(`Creating the queue ${name}`, "POST", path, { queue_name: name, ...place }),
  }))
}
