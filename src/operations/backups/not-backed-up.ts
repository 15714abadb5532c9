import { getTableName } from "drizzle-orm"
import { TABLES } from "../../worker/teams/tables.ts"

/** Tables of sessions, links in mail and open invitations. */
export const NOT_BACKED_UP = TABLES.filter(({ isLeftOutOfBackups }) => isLeftOutOfBackups).map(
  ({ table }) => getTableName(table),
)
