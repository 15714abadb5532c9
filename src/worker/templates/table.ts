import { sql } from "drizzle-orm"
import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../platform/db/rows.ts"
import type { TemplateContent, VariablesSchema } from "./contract.ts"
import type { Design } from "./design-contract.ts"

/** Earlier releases stored no design. */
type StoredContent = TemplateContent & { design?: Design | null }

export const templates = sqliteTable(
  "templates",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    slug: text().notNull(),
    name: text().notNull(),
    subject: text().notNull(),
    bodyHtml: text("body_html").notNull(),
    bodyText: text("body_text"),
    variablesSchema: text("variables_schema", { mode: "json" }).$type<VariablesSchema>().notNull(),
    version: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** The blocks that the bodies were rendered from. */
    design: text({ mode: "json" }).$type<Design>(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    uniqueIndex("templates_slug").on(table.teamId, table.slug),
  ],
)

export const templateVersions = sqliteTable(
  "template_versions",
  {
    teamId: text("team_id").notNull(),
    templateId: text("template_id").notNull(),
    version: integer().notNull(),
    snapshot: text({ mode: "json" }).$type<StoredContent>().notNull(),
    createdAt: integer("created_at").notNull(),
    publishedBy: text("published_by"),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.templateId, table.version] })],
)

export const templateDrafts = sqliteTable(
  "template_drafts",
  {
    teamId: text("team_id").notNull(),
    templateId: text("template_id").notNull(),
    content: text({ mode: "json" }).$type<StoredContent>().notNull(),
    revision: text().notNull(),
    updatedAt: integer("updated_at").notNull(),
    updatedBy: text("updated_by").notNull(),
    /** Of a template that was never published: it has no row in `templates` yet. */
    slug: text(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.templateId] }),
    uniqueIndex("template_drafts_slug")
      .on(table.teamId, table.slug)
      .where(sql`${table.slug} is not null`),
  ],
)

export const rows = [
  rowsOf("team", templates, {
    kept: ["slug", "name", "subject", "bodyHtml", "bodyText", "variablesSchema", "design"],
    isLarge: true,
  }),
  rowsOf("team", templateDrafts, {
    kept: ["content", "revision", "updatedBy", "slug"],
    isLarge: true,
  }),
  rowsOf("team", templateVersions, { kept: ["snapshot", "publishedBy"], isLarge: true }),
]
