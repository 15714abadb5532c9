import { type Env, type Jurisdiction, readSettings } from "../env.ts"
import { databaseNumber } from "./databases.ts"

/** The buckets beside `CONTENT`, by the jurisdiction that Cloudflare keeps their objects in. */
const OF_JURISDICTION = {
  eu: "CONTENT_EU",
  us: "CONTENT_US",
  fedramp: "CONTENT_FEDRAMP",
} as const satisfies Record<Jurisdiction, string>

/** The jurisdiction of this environment's database. */
export function jurisdictionOf(env: Env): Jurisdiction | null {
  if (!env.DATABASES) return null
  const number = databaseNumber(env)
  return readSettings(env).DATABASES.find((one) => one.number === number)?.jurisdiction ?? null
}

/** Where the contents of the teams of this database are written. */
export function ownBucket(env: Env): R2Bucket {
  const jurisdiction = jurisdictionOf(env)
  return (jurisdiction && env[OF_JURISDICTION[jurisdiction]]) || env.CONTENT
}

/**
 * The team's own bucket first. What it had before it moved, or before its jurisdiction had a bucket, is
 * in another one until it is purged.
 */
export const allBuckets = (env: Env): R2Bucket[] => [
  ...new Set([
    ownBucket(env),
    env.CONTENT,
    ...Object.values(OF_JURISDICTION).flatMap((name) => env[name] ?? []),
  ]),
]

/** The first answer of a bucket that is not null. */
export async function findInBuckets<T>(
  env: Env,
  ask: (bucket: R2Bucket) => Promise<T | null>,
): Promise<T | null> {
  for (const bucket of allBuckets(env)) {
    const found = await ask(bucket)
    if (found !== null) return found
  }
  return null
}

export async function deleteFromBuckets(env: Env, keys: string[]): Promise<void> {
  if (keys.length > 0) await Promise.all(allBuckets(env).map((bucket) => bucket.delete(keys)))
}
