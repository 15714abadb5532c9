import type { Jurisdiction } from "../../worker/platform/env.ts"
import { KEYS_OBJECT } from "../../worker/platform/installation/keys.ts"
import type { Bucket, Database } from "../installation.ts"
import type { Change } from "./change.ts"
import type { Cloudflare } from "./cloudflare.ts"
import { Failure, OTHER_NAME } from "./failure.ts"
import { inParallel } from "./in-parallel.ts"

interface FoundBucket extends Bucket {
  exists: boolean
}

/**
 * The bucket of the installation, which is made in the jurisdiction of the first database, and one for each
 * other jurisdiction. A bucket that exists stays where it is.
 */
export async function findBuckets(
  cloudflare: Cloudflare,
  accountId: string,
  { bucket, databases }: { bucket: string; databases: readonly Database[] },
): Promise<FoundBucket[]> {
  const find = async (binding: string, name: string, jurisdiction?: Jurisdiction) => {
    const path = `${bucketsPath(accountId)}/${name}`
    const found = await cloudflare.bucketsOf(jurisdiction).find("Looking for the bucket", path)
    return { binding, name, ...(jurisdiction && { jurisdiction }), exists: found !== null }
  }
  const anywhere = await find("CONTENT", bucket)
  const first = databases.find(({ number }) => number === 1)?.jurisdiction
  const own = first && !anywhere.exists ? await find("CONTENT", bucket, first) : anywhere
  const others = new Set(databases.flatMap(({ jurisdiction }) => jurisdiction ?? []))
  if (own.jurisdiction) others.delete(own.jurisdiction)
  const more = await inParallel([...others], (jurisdiction) =>
    find(`CONTENT_${jurisdiction.toUpperCase()}`, `${bucket}-${jurisdiction}`, jurisdiction),
  )
  return [own, ...more]
}

const bucketsPath = (accountId: string) => `/accounts/${accountId}/r2/buckets`

/**
 * A bucket has no mark that it is Edgepost's, and lifecycle rules will delete its objects. So an
 * existing bucket is used only if the database, which is created before, exists, too.
 */
export function bucketChanges(
  cloudflare: Cloudflare,
  accountId: string,
  { buckets, isNew }: { buckets: readonly FoundBucket[]; isNew: boolean },
): Change[] {
  const theirs = buckets.find(({ exists }) => exists && isNew)
  if (theirs) {
    const says = `The account has a bucket '${theirs.name}' that is not Edgepost's.`
    throw new Failure(says, OTHER_NAME)
  }
  return buckets
    .filter(({ exists }) => !exists)
    .map(({ name, jurisdiction }) => ({
      says: `creates the bucket ${name}${inJurisdiction(jurisdiction)}`,
      apply: () =>
        cloudflare
          .bucketsOf(jurisdiction)
          .call(`Creating the bucket ${name}`, "POST", bucketsPath(accountId), { name }),
    }))
}

export const inJurisdiction = (jurisdiction?: Jurisdiction) =>
  jurisdiction ? `, jurisdiction ${jurisdiction}` : ""

/** Without its Worker, an installation has the keys of its data only if they are in the bucket. */
export async function checkKeys(
  cloudflare: Cloudflare,
  accountId: string,
  { name, jurisdiction }: Bucket,
) {
  if (process.env.ENCRYPTION_KEYS) return
  const path = `${bucketsPath(accountId)}/${name}/objects?prefix=${KEYS_OBJECT}`
  const found = await cloudflare
    .bucketsOf(jurisdiction)
    .find<unknown[]>("Looking for the keys", path)
  if (found && found.length > 0) return
  throw new Failure(
    "The database has teams, but its Worker is gone, and with the Worker the keys of what is encrypted.",
    "Set SIGNING_KEY, ENCRYPTION_KEYS and ERASURE_KEY in the environment: those of the old Worker, or new ones, with which links in sent mail and the secrets of webhooks stop working, and erased addresses may get mail again.",
  )
}

const DAY_SECONDS = 24 * 60 * 60

/** An email may be scheduled a year ahead, and then rescheduled. */
const WAITING_DAYS = 2 * 365
/** Dead letters leave R2 within a minute, unless the database is not available. */
const DEAD_LETTER_DAYS = 365

interface Rule {
  id: string
  enabled: boolean
  conditions: { prefix: string }
  deleteObjectsTransition: { condition: { type: "Age"; maxAge: number } }
}

/**
 * Rules that delete lost objects. Each age is longer than the Worker keeps such an object. Bodies of
 * campaigns and images have no rule: they stay as long as their campaigns, and as long as something
 * names them.
 */
export function lifecycleRules(contentDays: number): Rule[] {
  const rule = (prefix: string, days: number): Rule => ({
    id: `edgepost-${prefix}`,
    enabled: true,
    conditions: { prefix: `${prefix}/` },
    deleteObjectsTransition: { condition: { type: "Age", maxAge: days * DAY_SECONDS } },
  })
  return [
    rule("content", contentDays + WAITING_DAYS),
    rule("packs", contentDays + 30),
    rule("sandbox", contentDays + 30),
    rule("dead-letters", DEAD_LETTER_DAYS),
    rule("unreadable-letters", contentDays),
  ]
}

/** Keeps the rules with other names. */
export async function lifecycleChanges(
  cloudflare: Cloudflare,
  accountId: string,
  { bucket, contentDays }: { bucket: Bucket; contentDays: number },
): Promise<Change[]> {
  const path = `${bucketsPath(accountId)}/${bucket.name}/lifecycle`
  const there = cloudflare.bucketsOf(bucket.jurisdiction)
  const found = await there.find<{ rules?: Rule[] }>("Reading the bucket's rules", path)
  const rules = lifecycleRules(contentDays)
  const known = found?.rules ?? []
  const isSet = (rule: Rule) =>
    known.some((other) => other.id === rule.id && ageOf(other) === ageOf(rule))
  if (rules.every(isSet)) return []
  const others = known.filter(({ id }) => rules.every((rule) => rule.id !== id))
  const apply = () =>
    there.call("Setting the bucket's rules", "PUT", path, { rules: [...others, ...rules] })
  return [{ says: `sets when the bucket ${bucket.name} deletes what is left over`, apply }]
}

/** Rules that somebody else made may have another form. */
const ageOf = ({ deleteObjectsTransition }: Partial<Rule>) =>
  deleteObjectsTransition?.condition?.maxAge
