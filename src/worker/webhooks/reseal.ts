import { and, asc, eq, sql } from "drizzle-orm"
import { logError } from "../../lib/log.ts"
import { inRounds } from "../../lib/rounds.ts"
import { reseal } from "../../lib/seal.ts"
import { resealForms } from "../forms/reseal.ts"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { keyRotations, WEBHOOK_KEY, type WebhookRow, webhooks } from "./events/table.ts"

const ROUNDS = { rounds: 10, size: 200 }

/** The columns with sealed secrets, whose owner is the webhook. */
const SEALED = ["secret", "previousSecret"] as const

/**
 * Seals secrets anew with the first key, on request. Each page is written together with the position
 * of the next one. A secret that was changed meanwhile stays.
 */
export const resealSecrets = (work: Work) =>
  inRounds<unknown>(ROUNDS, async (size) => {
    const [asked] = await work.db.select().from(keyRotations)
    if (!asked) return []
    const ofForms = await resealForms(work, size)
    if (ofForms.length === size) return ofForms
    const page = await work.db
      .select()
      .from(webhooks)
      .where(sql`${WEBHOOK_KEY} > (${asked.teamId}, ${asked.webhookId})`)
      .orderBy(asc(webhooks.teamId), asc(webhooks.id))
      .limit(size)
    const isAsked = and(
      eq(keyRotations.id, asked.id),
      eq(keyRotations.requestedAt, asked.requestedAt),
    )
    const last = page.at(-1)
    const move: Query =
      last && page.length === size
        ? work.db
            .update(keyRotations)
            .set({ teamId: last.teamId, webhookId: last.id })
            .where(isAsked)
        : work.db.delete(keyRotations).where(isAsked)
    await work.db.batch([move, ...SEALED.map((name) => updateColumn(work, name, page))])
    return page
  })

function updateColumn(work: Work, name: (typeof SEALED)[number], page: readonly WebhookRow[]) {
  const changes = page.flatMap((row) => {
    const old = row[name]
    const fresh = old === null ? null : tryReseal(work, row.id, old)
    return fresh ? { teamId: row.teamId, id: row.id, old, fresh } : []
  })
  const x = jsonFields<(typeof changes)[number]>()
  const column = sql.identifier(webhooks[name].name)
  return work.db.run(sql`
    update webhooks set ${column} = ${x.fresh} from ${jsonRows(changes)}
    where ${webhooks.teamId} = ${x.teamId} and ${webhooks.id} = ${x.id}
      and ${webhooks[name]} = ${x.old}`)
}

/** Null for a secret whose key is no longer in the settings. */
function tryReseal(work: Work, owner: string, sealed: string): string | null {
  try {
    return reseal(work.settings, owner, sealed)
  } catch (error) {
    logError(error, { webhook: owner })
    return null
  }
}
