import { and, eq, sql } from "drizzle-orm"
import { logError } from "../../lib/log.ts"
import { inRounds } from "../../lib/rounds.ts"
import { reseal } from "../../lib/seal.ts"
import { forms } from "../forms/table.ts"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { keyRotations, WEBHOOK_KEY, webhooks } from "./events/table.ts"

const ROUNDS = { rounds: 10, size: 200 }

/** The columns with sealed secrets, whose owner is the row. */
const SEALED = [
  { table: webhooks, column: webhooks.secret },
  { table: webhooks, column: webhooks.previousSecret },
  { table: forms, column: forms.turnstileSecret },
]

interface Owner {
  teamId: string
  id: string
  secret: string
  previousSecret: string | null
}

/**
 * Seals secrets anew with the first key, on request. Each page is written together with the position
 * of the next one. A secret that was changed meanwhile stays.
 */
export const resealSecrets = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const [asked] = await work.db.select().from(keyRotations)
    if (!asked) return []
    const after = sql`(${asked.teamId}, ${asked.ownerId})`
    const page = await work.db.all<Owner>(sql`
      select team_id as teamId, id, secret, previous_secret as previousSecret
      from webhooks where ${WEBHOOK_KEY} > ${after}
      union all
      select team_id, id, turnstile_secret, null
      from forms where (${forms.teamId}, ${forms.id}) > ${after} and turnstile_secret is not null
      order by 1, 2 limit +${size}`)
    const isAsked = and(
      eq(keyRotations.id, asked.id),
      eq(keyRotations.requestedAt, asked.requestedAt),
    )
    const last = page.at(-1)
    const move: Query =
      last && page.length === size
        ? work.db.update(keyRotations).set({ teamId: last.teamId, ownerId: last.id }).where(isAsked)
        : work.db.delete(keyRotations).where(isAsked)
    const changes = page.flatMap((owner) => changesOf(work, owner))
    await work.db.batch([move, ...updates(work, changes)])
    return page
  })

interface Change extends Pick<Owner, "teamId" | "id"> {
  old: string
  fresh: string
}

function updates({ db }: Work, changes: readonly Change[]): Query[] {
  const x = jsonFields<Change>()
  return SEALED.map(({ table, column }) =>
    db.run(sql`
      update ${table} set ${sql.identifier(column.name)} = ${x.fresh} from ${jsonRows(changes)}
      where ${table.teamId} = ${x.teamId} and ${table.id} = ${x.id} and ${column} = ${x.old}`),
  )
}

/** Nothing for a secret whose key is no longer in the settings. */
function changesOf({ settings }: Work, { teamId, id, secret, previousSecret }: Owner): Change[] {
  return [secret, previousSecret].flatMap((old) => {
    try {
      const fresh = old && reseal(settings, id, old)
      return old && fresh ? { teamId, id, old, fresh } : []
    } catch (error) {
      logError(error, { secretOf: id })
      return []
    }
  })
}
