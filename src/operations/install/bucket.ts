import { KEYS_OBJECT } from "../../worker/platform/installation/keys.ts"
import type { Change } from "./change.ts"
import type { Cloudflare } from "./cloudflare.ts"
import { Failure, OTHER_NAME } from "./failure.ts"

/**
 * A bucket has no mark that it is Edgepost's, and lifecycle rules will delete its objects. So an
 * existing bucket is used only if the database, which is created before, exists, too.
 */
export async function bucketChanges(
  cloudflare: Cloudflare,
  accountId: string,
  { name, isNew }: { name: string; isNew: boolean },
): Promise<Change[]> {
  const path = `/accounts/${accountId}/r2/buckets`
  const found = await cloudflare.find("Looking for the bucket", `${path}/${name}`)
  if (found && isNew) {
    throw new Failure(`The account has a bucket '${name}' that is not Edgepost's.`, OTHER_NAME)
  }
  if (found) return []
  const apply = () => cloudflare.call(`Creating the bucket ${name}`, "POST", path, { name })
  return [{ says: `creates the bucket ${name}`, apply }]
}

/** Without its Worker, an installation has the keys of its data only if they are in the bucket. */
export async function checkKeys(cloudflare: Cloudflare, accountId: string, bucket: string) {
  if (process.env.ENCRYPTION_KEYS) return
  const path = `/accounts/${accountId}/r2/buckets/${bucket}/objects?prefix=${KEYS_OBJECT}`
  const found = await cloudflare.find<unknown[]>("Looking for the keys", path)
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
  { bucket, contentDays }: { bucket: string; contentDays: number },
): Promise<Change[]> {
  const path = `/accounts/${accountId}/r2/buckets/${bucket}/lifecycle`
  const found = await cloudflare.find<{ rules?: Rule[] }>("Reading the bucket's rules", path)
  const rules = lifecycleRules(contentDays)
  const known = found?.rules ?? []
  const isSet = (rule: Rule) =>
    known.some((other) => other.id === rule.id && ageOf(other) === ageOf(rule))
  if (rules.every(isSet)) return []
  const others = known.filter(({ id }) => rules.every((rule) => rule.id !== id))
  const apply = () =>
    cloudflare.call("Setting the bucket's rules", "PUT", path, { rules: [...others, ...rules] })
  return [{ says: "sets when the bucket deletes what is left over", apply }]
}

/** Rules that somebody else made may have another form. */
const ageOf = ({ deleteObjectsTransition }: Partial<Rule>) =>
  deleteObjectsTransition?.condition?.maxAge
