import { inArray, isNotNull, sql } from "drizzle-orm"
import { inRounds } from "../../lib/rounds.ts"
import { DAY_MS } from "../../lib/time.ts"
import type { Work } from "../platform/context.ts"
import { assignments } from "../platform/db/columns.ts"
import { deleteObjects } from "../platform/db/overflow.ts"
import { isReferenced } from "./references.ts"
import { images } from "./table.ts"

const KEPT_UNUSED_MS = 30 * DAY_MS
const CHECK_USED_AFTER_MS = 7 * DAY_MS

/** A look-up reads all campaigns and templates of the team, so few are made in a minute. */
const ROUNDS = { rounds: 5, size: 10 }

interface Checked {
  objectKey: string
  deletedAt: number | null
}

/**
 * Looks up whether images are still named: each day if not, else each week. Deletes those that
 * nothing named for 30 days. What names an image and when is decided in one statement, so an image
 * that is named again is not deleted.
 */
export const sweepImages = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const now = work.now()
    const { unusedSince, deletedAt } = images
    const checked = await work.db.all<Checked>(sql`
      update ${images} set ${assignments(images, {
        unusedSince: sql`iif(checked.used, null, ifnull(${unusedSince}, ${now}))`,
        deletedAt: sql`ifnull(${deletedAt}, iif(not checked.used and ${unusedSince} <= ${now - KEPT_UNUSED_MS}, ${now}, null))`,
        checkAt: sql`${now} + iif(checked.used, ${CHECK_USED_AFTER_MS}, ${DAY_MS})`,
      })}
      from (
        select ${images.teamId} as teamId, ${images.sha256} as sha256, ${isReferenced} as used
        from ${images} where ${images.checkAt} <= ${now} order by ${images.checkAt} limit ${size}
      ) checked
      where ${images.teamId} = checked.teamId and ${images.sha256} = checked.sha256
      returning ${images.objectKey} as objectKey, ${deletedAt} as deletedAt`)
    await deleteImages(
      work,
      checked.filter((one) => one.deletedAt !== null),
    )
    return checked
  })

/** The objects go first, so that a row is left for an object that could not be deleted. */
async function deleteImages(work: Work, deleted: readonly Checked[]): Promise<void> {
  if (deleted.length === 0) return
  await deleteObjects(work.env, deleted)
  const keys = deleted.map(({ objectKey }) => objectKey)
  await work.db
    .delete(images)
    .where(sql`${isNotNull(images.deletedAt)} and ${inArray(images.objectKey, keys)}`)
}
