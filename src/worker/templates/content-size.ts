import { type SQL, sql } from "drizzle-orm"
import { type Issue, invalid } from "../platform/http/errors.ts"
import { jsonBytes } from "../platform/http/shapes.ts"
import type { TemplateContent } from "./contract.ts"
import { templates } from "./table.ts"

/** A row of D1 has up to 2 MB. Blocks may become far more html than they have characters. */
const MAX_CONTENT_BYTES = 1_900_000

export const tooLarge = (path: Issue["path"]) =>
  invalid(path, `At most ${MAX_CONTENT_BYTES} bytes with the html of the blocks`)

export const isTooLarge = (content: object) => jsonBytes(content) > MAX_CONTENT_BYTES

const { name, subject, bodyHtml, bodyText, variablesSchema } = templates
const STORED_BYTES: Record<keyof TemplateContent, SQL> = {
  name: sql`octet_length(json_quote(${name}))`,
  subject: sql`octet_length(json_quote(${subject}))`,
  bodyHtml: sql`octet_length(json_quote(${bodyHtml}))`,
  bodyText: sql`octet_length(json_quote(${bodyText}))`,
  variablesSchema: sql`octet_length(${variablesSchema})`,
}

/**
 * Whether the snapshot of a changed template fits into a row. The columns are counted one by one:
 * all together could be longer than the longest text of SQLite.
 */
export function fitsWith(changes: object, design: SQL): SQL {
  const kept = Object.entries(STORED_BYTES).filter(([field]) => !(field in changes))
  const bytes = [...kept.map(([, size]) => size), sql`ifnull(octet_length(${design}), 0)`]
  return sql`${sql.join(bytes, sql` + `)} + ${jsonBytes(changes)} <= ${MAX_CONTENT_BYTES}`
}
