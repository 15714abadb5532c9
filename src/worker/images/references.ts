import { type Column, getTableName, type SQL, sql, type Table } from "drizzle-orm"
import { layouts } from "../campaigns/layouts/table.ts"
import { campaigns } from "../campaigns/table.ts"
import { teams } from "../teams/table.ts"
import { templateDrafts, templates, templateVersions } from "../templates/table.ts"
import { OBJECT_PREFIX } from "./address.ts"
import { images } from "./table.ts"

/** Everything in which a person names an image. */
const PLACES = [
  { table: teams, teamId: teams.id, texts: [teams.brand] },
  { table: campaigns, teamId: campaigns.teamId, texts: [campaigns.blocks] },
  { table: layouts, teamId: layouts.teamId, texts: [layouts.blocks] },
  { table: templates, teamId: templates.teamId, texts: [templates.bodyHtml] },
  { table: templateDrafts, teamId: templateDrafts.teamId, texts: [templateDrafts.content] },
  { table: templateVersions, teamId: templateVersions.teamId, texts: [templateVersions.snapshot] },
] satisfies { table: Table; teamId: Column; texts: Column[] }[]

const name = sql`substr(${images.objectKey}, ${sql.raw(String(OBJECT_PREFIX.length + 1))})`

/** Whether anything of the team names the image of the row. The name is random, so a part of a text is enough. */
export const isReferenced: SQL = sql.join(
  PLACES.map(({ table, teamId, texts }) => {
    const isIn = (text: Column) => sql`instr(${text}, ${name}) > 0`
    return sql`exists (select 1 from ${sql.identifier(getTableName(table))}
      where ${teamId} = ${images.teamId} and (${sql.join(texts.map(isIn), sql` or `)}))`
  }),
  sql` or `,
)
