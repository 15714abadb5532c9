import { bucketOf, databaseNameOf, queuesOf, readTemplate, withName } from "../installation.ts"
import { notedDatabases } from "../settings.ts"
import { type Account, findAccount } from "./account.ts"
import { findBuckets } from "./bucket.ts"
import type { Change } from "./change.ts"
import type { Cloudflare } from "./cloudflare.ts"
import { checkOwners, existing, findDatabases, planDatabases } from "./databases.ts"
import { Failure } from "./failure.ts"
import { consumersOf, type Queue } from "./queues.ts"
import { checkWorker, findWorker } from "./worker.ts"

/** The parts of an installation, in the order in which they are deleted. */
export async function findParts(
  cloudflare: Cloudflare,
  { name, accountId }: { name: string; accountId?: string },
): Promise<Change[]> {
  const account = await findAccount(cloudflare, accountId)
  const config = withName(await readTemplate(), name)
  const worker = await findWorker(cloudflare, account.id, name)
  // After the Worker is deleted, only the file of settings knows the databases beside the first.
  const planned = planDatabases(await notedDatabases(name), worker, {})
  const found = await findDatabases(cloudflare, account.id, databaseNameOf(config), planned)
  const databaseId = found[0]?.id ?? null
  checkWorker(worker, name, databaseId)
  await checkOwners(cloudflare, account.id, worker, found)
  return [
    ...(await domainParts(cloudflare, account, name)),
    ...(worker ? [workerPart(cloudflare, account, name)] : []),
    ...(await queueParts(cloudflare, account, queuesOf(config), name)),
    // The first database is deleted last: without it, the bucket counts as somebody else's.
    ...(databaseId
      ? bucketParts(
          cloudflare,
          account,
          await findBuckets(cloudflare, account.id, {
            bucket: bucketOf(config),
            databases: planned,
          }),
        )
      : []),
    ...existing(found)
      .reverse()
      .map((database) => databasePart(cloudflare, account, database.name, database.id)),
  ]
}

async function domainParts(cloudflare: Cloudflare, { id }: Account, name: string) {
  const path = `/accounts/${id}/workers/domains`
  const domains = await cloudflare.call<{ id: string; hostname: string; service: string }[]>(
    "Reading the Workers' domains",
    "GET",
    `${path}?service=${name}`,
  )
  return domains
    .filter(({ service }) => service === name)
    .map((domain) => ({
      says: `the address ${domain.hostname}: links in sent mail stop working`,
      apply: () =>
        cloudflare.call(`Detaching ${domain.hostname}`, "DELETE", `${path}/${domain.id}`),
    }))
}

const workerPart = (cloudflare: Cloudflare, { id }: Account, name: string): Change => ({
  says: `the Worker ${name} with its secrets and live streams`,
  apply: () =>
    cloudflare.call(
      `Deleting the Worker ${name}`,
      "DELETE",
      `/accounts/${id}/workers/scripts/${name}?force=true`,
    ),
})

async function queueParts(
  cloudflare: Cloudflare,
  { id }: Account,
  names: readonly string[],
  worker: string,
): Promise<Change[]> {
  const path = `/accounts/${id}/queues`
  const known = await cloudflare.list<Queue>("Looking for the queues", path)
  const own = known.filter(
    (queue) =>
      names.includes(queue.queue_name) &&
      consumersOf(queue).every((consumer) => consumer === worker),
  )
  return own.map(({ queue_name, queue_id }) => ({
    says: `the queue ${queue_name}`,
    apply: () =>
      cloudflare.call(`Deleting the queue ${queue_name}`, "DELETE", `${path}/${queue_id}`),
  }))
}

const bucketParts = (
  cloudflare: Cloudflare,
  { id }: Account,
  buckets: Awaited<ReturnType<typeof findBuckets>>,
): Change[] =>
  buckets
    .filter(({ exists }) => exists)
    .map(({ name, jurisdiction }) => {
      const there = cloudflare.bucketsOf(jurisdiction)
      const path = `/accounts/${id}/r2/buckets/${name}`
      const apply = async () => {
        await emptyBucket(there, path, name)
        await there.call(`Deleting the bucket ${name}`, "DELETE", path)
      }
      return { says: `the bucket ${name} with all that is in it`, apply }
    })

async function emptyBucket(cloudflare: Cloudflare, path: string, bucket: string) {
  const doing = `Emptying the bucket ${bucket}`
  for (let before = ""; ; ) {
    const objects = await cloudflare.call<{ key: string }[]>(
      doing,
      "GET",
      `${path}/objects?per_page=1000`,
    )
    if (objects.length === 0) return
    const keys = objects.map(({ key }) => key)
    if (keys.join() === before) {
      throw new Failure(
        `${doing}: objects stay.`,
        "Empty the bucket at https://dash.cloudflare.com/?to=/:account/r2/overview and run the same command again.",
      )
    }
    before = keys.join()
    await cloudflare.call(doing, "DELETE", `${path}/objects`, keys)
  }
}

const databasePart = (
  cloudflare: Cloudflare,
  { id }: Account,
  name: string,
  databaseId: string,
): Change => ({
  says: `the database ${name} with all teams, emails and contacts`,
  apply: () =>
    cloudflare.call(
      `Deleting the database ${name}`,
      "DELETE",
      `/accounts/${id}/d1/database/${databaseId}`,
    ),
})
