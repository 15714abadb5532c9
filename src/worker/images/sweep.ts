import { eq, getTableName, isNotNull, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { inRounds } from "../../lib/rounds.ts"
import { DAY_MS } from "../../lib/time.ts"
import { layouts } from "../campaigns/layouts/table.ts"
import { campaigns } from "../campaigns/table.ts"
import { forms } from "../forms/table.ts"
import type { Work } from "../platform/context.ts"
import { assignments } from "../platform/db/columns.ts"
import { deleteObjects } from "../platform/db/overflow.ts"
import { teamColumn } from "../platform/db/rows.ts"
import { sequences, sequenceVersions } from "../sequences/table.ts"
import { teams } from "../teams/table.ts"
import { templateDrafts, templates, templateVersions } from "../templates/table.ts"
import { OBJECT_PREFIX } from "./address.ts"
import { images } from "./table.ts"

const KEPT_UNUSED_MS = 30 * DAY_MS
const CHECK_USED_AFTER_MS = 7 * DAY_MS

/** Each reads texts of a team, so few are made in a minute. */
const ROUNDS = { rounds: 50, size: 1 }

/**
 * Looks up whether images are still named: each day if not, else each week. Deletes those that
 * nothing named for 30 days.
 */
export const sweepImages = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const due = await takeDue(work, size)
    for (const image of due) await checkImage(work, image)
    return due
  })

type Image = Pick<typeof images.$inferSelect, "teamId" | "sha256">

/** Sets the next look-up before this one begins: one that fails does not come first again. */
const takeDue = ({ db, now }: Work, size: number): Promise<Image[]> =>
  db
    .update(images)
    .set({ checkAt: now() + DAY_MS })
    .where(
      sql`(${images.teamId}, ${images.sha256}) in (
        select ${images.teamId}, ${images.sha256} from ${images}
        where ${images.checkAt} <= ${now()} order by ${images.checkAt} limit +${size})`,
    )
    .returning({ teamId: images.teamId, sha256: images.sha256 })

/**
 * What names an image and when is decided in one statement, so an image that is named again is not
 * deleted.
 */
async function checkImage(work: Work, { teamId, sha256 }: Image): Promise<void> {
  const now = work.now()
  const { unusedSince, deletedAt, objectKey } = images
  const isImage = sql`${images.teamId} = ${teamId} and ${images.sha256} = ${sha256}`
  const [checked] = await work.db.all<{ objectKey: string; deletedAt: number | null }>(sql`
    update ${images} set ${assignments(images, {
      unusedSince: sql`iif(checked.used, null, ifnull(${unusedSince}, ${now}))`,
      deletedAt: sql`ifnull(${deletedAt}, iif(not checked.used and ${unusedSince} <= ${now - KEPT_UNUSED_MS}, ${now}, null))`,
      checkAt: sql`${now} + iif(checked.used, ${CHECK_USED_AFTER_MS}, ${DAY_MS})`,
    })}
    from (select ${isReferenced} as used from ${images} where ${isImage} limit 1) checked
    where ${isImage}
    returning ${objectKey} as objectKey, ${deletedAt} as deletedAt`)
  if (!checked || checked.deletedAt === null) return
  // The object goes first, so that a row is left for an object that could not be deleted.
  await deleteObjects(work.env, [checked])
  await work.db
    .delete(images)
    .where(sql`${isImage} and ${isNotNull(deletedAt)} and ${eq(objectKey, checked.objectKey)}`)
}

interface Place {
  text: SQLiteColumn
  writtenAt?: SQLiteColumn
}

/** Everything in which a person names an image. */
const PLACES: Place[] = [
  { text: teams.brand },
  { text: campaigns.blocks, writtenAt: campaigns.updatedAt },
  { text: layouts.blocks, writtenAt: layouts.updatedAt },
  { text: sequences.steps, writtenAt: sequences.updatedAt },
  { text: sequenceVersions.steps },
  { text: forms.confirmation, writtenAt: forms.updatedAt },
  { text: templates.bodyHtml, writtenAt: templates.updatedAt },
  { text: templateDrafts.content, writtenAt: templateDrafts.updatedAt },
  { text: templateVersions.snapshot, writtenAt: templateVersions.createdAt },
]

const name = sql`substr(${images.objectKey}, ${sql.raw(String(OBJECT_PREFIX.length + 1))})`

/** What was written earlier does not name the image. A call notes its time before it writes. */
const unnamedUntil = sql`(ifnull(${images.unusedSince}, ${images.createdAt}) - ${sql.raw(String(DAY_MS))})`

/** Whether anything of the team names the image of the row. The name is random, so a part of a text is enough. */
const isReferenced: SQL = sql.join(
  PLACES.map(({ text, writtenAt }) => {
    const table = text.table as SQLiteTable
    return sql`exists (select 1 from ${sql.identifier(getTableName(table))}
      where ${teamColumn(table) ?? teams.id} = ${images.teamId}
        and ${writtenAt ? sql`${writtenAt} >= ${unnamedUntil}` : sql`true`}
        and instr(${text}, ${name}) > 0)`
  }),
  sql` or `,
)
