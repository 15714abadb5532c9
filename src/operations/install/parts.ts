import { type Cloudflare, Failure, OTHER_NAME } from "./cloudflare.ts"

export interface Queue {
  queue_name: string
  queue_id: string
  consumers?: { script?: string; script_name?: string; service?: string }[]
}

/** The names of the Workers that consume a queue. */
export const consumersOf = ({ consumers = [] }: Queue) =>
  consumers.map(({ script, script_name, service }) => script ?? script_name ?? service)

export interface Change {
  /** For example "creates the queue edgepost-sends". */
  says: string
  apply(): Promise<unknown>
}

/** Creates the queues that are missing. Refuses one that another Worker consumes. */
export async function queueChanges(
  cloudflare: Cloudflare,
  accountId: string,
  { names, worker }: { names: readonly string[]; worker: string },
): Promise<Change[]> {
  const path = `/accounts/${accountId}/queues`
  const known = await cloudflare.list<Queue>("Looking for the queues", path)
  for (const queue of known) {
    const other = consumersOf(queue).find((consumer) => consumer && consumer !== worker)
    if (!names.includes(queue.queue_name) || !other) continue
    throw new Failure(`The queue ${queue.queue_name} belongs to the Worker '${other}'.`, OTHER_NAME)
  }
  const missing = names.filter((name) => known.every(({ queue_name }) => queue_name !== name))
  return missing.map((name) => ({
    says: `creates the queue ${name}`,
    apply: () => cloudflare.call(`Creating the queue ${name}`, "POST", path, { queue_name: name }),
  }))
}

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
