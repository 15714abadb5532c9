import { and, asc, eq, gt } from "drizzle-orm"
import { logError } from "../../../../lib/log.ts"
import { inRounds } from "../../../../lib/rounds.ts"
import type { Work } from "../../../platform/context.ts"
import type { Query } from "../../../platform/db/client.ts"
import { libraryKeys } from "../library/library-keys.ts"
import { factorRotations, secondFactors } from "../table.ts"

const ROUNDS = { rounds: 10, size: 100 }

type Row = typeof secondFactors.$inferSelect

/**
 * Encrypts apps and recovery codes anew with the first key, on request, as `resealSecrets` does with
 * webhooks. A row that was changed meanwhile stays: it has the first key already.
 */
export const resealSecondFactors = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const [asked] = await work.db.select().from(factorRotations)
    if (!asked) return []
    const page = await work.db
      .select()
      .from(secondFactors)
      .where(gt(secondFactors.id, asked.secondFactorId))
      .orderBy(asc(secondFactors.id))
      .limit(size)
    const isAsked = and(
      eq(factorRotations.id, asked.id),
      eq(factorRotations.requestedAt, asked.requestedAt),
    )
    const last = page.at(-1)
    const move: Query =
      last && page.length === size
        ? work.db.update(factorRotations).set({ secondFactorId: last.id }).where(isAsked)
        : work.db.delete(factorRotations).where(isAsked)
    const changes = await Promise.all(page.map((row) => tryReseal(work, row)))
    await work.db.batch([
      move,
      ...changes.flatMap((change) => (change ? update(work, change) : [])),
    ])
    return page
  })

interface Change {
  row: Row
  secret: string
  backupCodes: string
}

/** Null for a row with the first key, and for one whose key is no longer in the settings. */
async function tryReseal({ settings }: Work, row: Row): Promise<Change | null> {
  const key = libraryKeys(settings)
  const prefix = `$ba$${key.currentVersion}$`
  if (row.secret.startsWith(prefix) && row.backupCodes.startsWith(prefix)) return null
  try {
    const { symmetricDecrypt, symmetricEncrypt } = await import("../library/library.ts")
    const renew = async (data: string) =>
      symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) })
    return { row, secret: await renew(row.secret), backupCodes: await renew(row.backupCodes) }
  } catch (error) {
    logError(error, { secondFactor: row.id })
    return null
  }
}

const update = ({ db }: Work, { row, secret, backupCodes }: Change): Query =>
  db
    .update(secondFactors)
    .set({ secret, backupCodes })
    .where(
      and(
        eq(secondFactors.id, row.id),
        eq(secondFactors.secret, row.secret),
        eq(secondFactors.backupCodes, row.backupCodes),
      ),
    )
