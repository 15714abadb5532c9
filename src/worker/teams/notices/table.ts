import { isNotNull } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"

const TEAM_NOTICES = [
  "webhook_disabled",
  "domain_demoted",
  "bounce_rate",
  "complaint_rate",
] as const

/** For the operators of the installation. */
const INSTALLATION_NOTICES = ["dead_letters", "provider_paused", "database_almost_full"] as const

export type NoticeKind = (typeof TEAM_NOTICES | typeof INSTALLATION_NOTICES)[number]

/** The members differ by kind. Nothing here may be content or a recipient. */
export interface NoticeAbout {
  id?: string
  name?: string
  percent?: number
  count?: number
}

export const notices = sqliteTable(
  "notices",
  {
    teamId: text("team_id").notNull(),
    kind: text({ enum: [...TEAM_NOTICES, ...INSTALLATION_NOTICES] }).notNull(),
    day: text().notNull(),
    about: text({ mode: "json" }).$type<NoticeAbout>().notNull().default({}),
    createdAt: integer("created_at").notNull(),
    /** Null once the mail is sent. */
    dueAt: integer("due_at"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.kind, table.day] }),
    index("notices_due").on(table.dueAt).where(isNotNull(table.dueAt)),
  ],
)

export type NoticeRow = typeof notices.$inferSelect

export const rows = [rowsOf("team", notices, { kept: ["day", "about"] })]
