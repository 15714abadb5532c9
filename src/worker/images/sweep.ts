import {
  type Column,
  getTableName,
  inArray,
  isNotNull,
  type SQL,
  sql,
  type Table,
} from "drizzle-orm"
import { inRounds } from "../../lib/rounds.ts"
import { DAY_MS } from "../../lib/time.ts"
import { layouts } from "../campaigns/layouts/table.ts"
import { campaigns } from "../campaigns/table.ts"
import { forms } from "../forms/table.ts"
import type { Work } from "../platform/context.ts"
import { assignments } from "../platform/db/columns.ts"
import { deleteObjects } from "../platform/db/overflow.ts"
import { sequences, sequenceVersions } from "../sequences/table.ts"
import { teams } from "../teams/table.ts"
import { templateDrafts, templates, templateVersions } from "../templates/table.ts"
import { OBJECT_PREFIX } from "./address.ts"
import { images } from "./table.ts"

const KEPT_UNUSED_MS = 30 * DAY_MS
const CHECK_USED_AFTER_MS = 7 * DAY_MS

/** A look-up reads all campaigns, sequences and templates of the team, so few are made in a minute. */
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
        from ${images} where ${images.checkAt} <= ${now} order by ${images.checkAt} limit +${size}
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

/** Everything in which a person names an image. */
const PLACES = [
  { table: teams, teamId: teams.id, texts: [teams.brand] },
  { table: campaigns, teamId: campaigns.teamId, texts: [campaigns.blocks] },
  { table: layouts, teamId: layouts.teamId, texts: [layouts.blocks] },
  { table: sequences, teamId: sequences.teamId, texts: [sequences.steps] },
  { table: sequenceVersions, teamId: sequenceVersions.teamId, texts: [sequenceVersions.steps] },
  { table: forms, teamId: forms.teamId, texts: [forms.confirmation] },
  { table: templates, teamId: templates.teamId, texts: [templates.bodyHtml] },
  { table: templateDrafts, teamId: templateDrafts.teamId, texts: [templateDrafts.content] },
  { table: templateVersions, teamId: templateVersions.teamId, texts: [templateVersions.snapshot] },
] satisfies { table: Table; teamId: Column; texts: Column[] }[]

const name = sql`substr(${images.objectKey}, ${sql.raw(String(OBJECT_PREFIX.length + 1))})`

/** Whether anything of the team names the image of the row. The name is random, so a part of a text is enough. */
const isReferenced: SQL = sql.join(
  PLACES.map(({ table, teamId, texts }) => {
    const isIn = (text: Column) => sql`instr(${text}, ${name}) > 0`
    return sql`exists (select 1 from ${sql.identifier(getTableName(table))}
      where ${teamId} = ${images.teamId} and (${sql.join(texts.map(isIn), sql` or `)}))`
  }),
  sql` or `,
)
