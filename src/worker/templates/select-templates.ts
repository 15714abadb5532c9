import { and, eq, getTableColumns, or, sql } from "drizzle-orm"
import type { ScopeText } from "../platform/context.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import { type Placeholders, prepared } from "../platform/db/prepared.ts"
import { templates } from "./table.ts"

const { design: _, ...columns } = getTableColumns(templates)
const { bodyHtml, bodyText, variablesSchema } = columns

/**
 * Selects the templates with these slugs or ids, a JSON list. If all together have more than
 * `maxBytes`, their bodies are null: a Worker's memory could not hold them.
 */
export const selectTemplates = prepared(
  (db, { slugsOrIds, maxBytes }: Placeholders<"slugsOrIds" | "maxBytes">, { team }: ScopeText) => {
    const bytes = sql`octet_length(${bodyHtml}) + ifnull(octet_length(${bodyText}), 0) + octet_length(${variablesSchema})`
    const fits = sql`sum(${bytes}) over () <= ${maxBytes}`
    return db
      .select({
        ...columns,
        bodyHtml: sql<string | null>`iif(${fits}, ${bodyHtml}, null)`,
        bodyText: sql<string | null>`iif(${fits}, ${bodyText}, null)`,
      })
      .from(templates)
      .where(
        and(
          eq(templates.teamId, team),
          or(isOneOf(templates.slug, slugsOrIds), isOneOf(templates.id, slugsOrIds)),
        ),
      )
  },
)
