import { type Cloudflare, Failure } from "./cloudflare.ts"

export interface Queue {
  queue_name: string
  queue_id: string
  consumers?: { script?: string; script_name?: string; service?: string }[]
}

export interface Change {
  /** Such as "creates the queue edgepost-sends". */
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
  for (const { queue_name, consumers = [] } of known) {
    const other = consumers
      .map(({ script, script_name, service }) => script ?? script_name ?? service)
      .find((consumer) => consumer && consumer !== worker)
    if (!names.includes(queue_name) || !other) continue
    throw new Failure(
      `The queue ${queue_name} belongs to the Worker '${other}'.`,
      "Choose another name for the installation: npm run deploy -- URL NAME.",
    )
  }
  const missing = names.filter((name) => known.every(({ queue_name }) => queue_name !== name))
  return missing.map((name) => ({
    says: `creates the queue ${name}`,
    apply: () => cloudflare.call(`Creating the queue ${name}`, "POST", path, { queue_name: name }),
  }))
}

/**
 * A bucket cannot be told to be Edgepost's, and rules will delete from it. So a bucket is only taken
 * where the database, which is made earlier, is there, too.
 */
export async function bucketChanges(
  cloudflare: Cloudflare,
  accountId: string,
  { name, isNew }: { name: string; isNew: boolean },
): Promise<Change[]> {
  const path = `/accounts/${accountId}/r2/buckets`
  const found = await cloudflare.find("Looking for the bucket", `${path}/${name}`)
  if (found && isNew) {
    throw new Failure(
      `The account has a bucket '${name}' that is not Edgepost's.`,
      "Choose another name for the installation: npm run deploy -- URL NAME.",
    )
  }
  if (found) return []
  const apply = () => cloudflare.call(`Creating the bucket ${name}`, "POST", path, { name })
  return [{ says: `creates the bucket ${name}`, apply }]
}

const DAY_SECONDS = 24 * 60 * 60

/** An email may wait for a year until its time, and its time may be moved. */
const WAITING_DAYS = 2 * 365
/** Dead letters leave R2 with the next minute unless the database is away. */
const DEAD_LETTER_DAYS = 365

interface Rule {
  id: string
  enabled: boolean
  conditions: { prefix: string }
  deleteObjectsTransition: { condition: { type: "Age"; maxAge: number } }
}

/**
 * Deletes what the database forgot about. Each age is longer than the Worker itself keeps such an
 * object. The frozen bodies of campaigns have no rule: they live as long as their campaigns.
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
    rule("sandbox", contentDays + 30),
    rule("dead-letters", DEAD_LETTER_DAYS),
  ]
}

/** Rules of other names stay. */
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

/** Rules of others may have other forms. */
const ageOf = ({ deleteObjectsTransition }: Partial<Rule>) =>
  deleteObjectsTransition?.condition?.maxAge
