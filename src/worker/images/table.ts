import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"

export const images = sqliteTable(
  "images",
  {
    teamId: text("team_id").notNull(),
    /** Of the bytes: the same file is the same image. */
    sha256: text().notNull(),
    id: text().notNull(),
    objectKey: text("object_key").notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    bytes: integer().notNull().default(0),
    createdAt: integer("created_at").notNull(),
    unusedSince: integer("unused_since"),
    deletedAt: integer("deleted_at"),
    checkAt: integer("check_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.sha256] }),
    index("images_check").on(table.checkAt),
  ],
)

export const rows = [rowsOf("team", images, { kept: ["sha256", "objectKey"] })]
