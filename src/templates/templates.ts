import { and, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import type { InputOf } from "../http/endpoint.ts"
import { conflict, notFound } from "../http/errors.ts"
import { type Page, type PageQuery, readCursor, toPage } from "../http/page.ts"
import { ID_PREFIXES, newId } from "../lib/id.ts"
import type * as contract from "./contract.ts"
import type { Template, Variables } from "./contract.ts"
import { parseTemplate, type Rendered, render } from "./render.ts"
import { templates, templateVersions } from "./table.ts"

const VERSIONS_SHOWN = 20

export async function createTemplate(
  ctx: Ctx,
  input: InputOf<typeof contract.createTemplate>["json"],
): Promise<Template> {
  const { team } = await ctx.caller()
  const [created] = await ctx.batch([
    ctx.db
      .insert(templates)
      .values({
        ...input,
        id: newId("template", ctx.now()),
        teamId: team.id,
        version: 1,
        createdAt: ctx.now(),
        updatedAt: ctx.now(),
      })
      .onConflictDoNothing()
      .returning(),
    keepVersion(ctx, input.slug),
  ])
  if (!created[0]) throw conflict(`The slug '${input.slug}' is taken.`)
  return created[0]
}

export async function listTemplates(ctx: Ctx, query: PageQuery): Promise<Page<Template>> {
  const below = readCursor("template", query.cursor)
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(templates)
      .where(and(eq(templates.teamId, ctx.team), below ? lt(templates.id, below) : undefined))
      .orderBy(desc(templates.id))
      .limit(query.limit + 1),
  ])
  return toPage(rows, query.limit)
}

export async function getTemplate(ctx: Ctx, slugOrId: string) {
  const [[template], versions] = await ctx.batch([
    selectTemplate(ctx, slugOrId),
    ctx.db
      .select()
      .from(templateVersions)
      .where(
        and(
          eq(templateVersions.teamId, ctx.team),
          sql`${templateVersions.templateId} = (select id from templates where ${isTemplate(ctx, slugOrId)})`,
        ),
      )
      .orderBy(desc(templateVersions.version))
      .limit(VERSIONS_SHOWN),
  ])
  return { ...found(template), versions }
}

export async function updateTemplate(
  ctx: Ctx,
  slugOrId: string,
  changes: InputOf<typeof contract.updateTemplate>["json"],
): Promise<Template> {
  const [, , [template]] = await ctx.batch([
    ctx.db
      .update(templates)
      .set({ ...changes, version: sql`${templates.version} + 1`, updatedAt: ctx.now() })
      .where(and(isTemplate(ctx, slugOrId), differs(changes))),
    keepVersion(ctx, slugOrId),
    selectTemplate(ctx, slugOrId),
  ])
  return found(template)
}

export async function deleteTemplate(ctx: Ctx, slugOrId: string): Promise<undefined> {
  const [, deleted] = await ctx.batch([
    ctx.db.run(sql`delete from template_versions where (team_id, template_id) in
      (select team_id, id from templates where ${isTemplate(ctx, slugOrId)})`),
    ctx.db.delete(templates).where(isTemplate(ctx, slugOrId)).returning({ id: templates.id }),
  ])
  if (deleted.length === 0) throw notFound("Template")
}

export async function renderTemplate(
  ctx: Ctx,
  slugOrId: string,
  variables: Variables,
): Promise<Rendered> {
  const [[template]] = await ctx.batch([selectTemplate(ctx, slugOrId)])
  const rendering = render(parseTemplate(found(template)), variables)
  if (!rendering.ok) throw rendering.error
  return rendering.message
}

/**
 * The templates that these slugs and ids name, to join a batch. Where they have more than `maxBytes`
 * in all, none has its bodies: a Worker's memory could not hold them.
 */
export const selectTemplates = (ctx: Ctx, slugsOrIds: readonly string[], maxBytes: number) => {
  const { bodyHtml, bodyText, variablesSchema } = templates
  const bytes = sql`octet_length(${bodyHtml}) + ifnull(octet_length(${bodyText}), 0) + octet_length(${variablesSchema})`
  const fits = sql`sum(${bytes}) over () <= ${maxBytes}`
  const asked = sql`(select value from json_each(${JSON.stringify(slugsOrIds)}))`
  return ctx.db
    .select({
      ...getTableColumns(templates),
      bodyHtml: sql<string | null>`iif(${fits}, ${bodyHtml}, null)`,
      bodyText: sql<string | null>`iif(${fits}, ${bodyText}, null)`,
    })
    .from(templates)
    .where(
      and(
        eq(templates.teamId, ctx.team),
        sql`(${templates.slug} in ${asked} or ${templates.id} in ${asked})`,
      ),
    )
}

const selectTemplate = (ctx: Ctx, slugOrId: string) =>
  ctx.db.select().from(templates).where(isTemplate(ctx, slugOrId))

/** A slug has no upper case, so it is never an id. */
const isTemplate = (ctx: Ctx, slugOrId: string) =>
  and(
    eq(templates.teamId, ctx.team),
    slugOrId.startsWith(`${ID_PREFIXES.template}_`)
      ? eq(templates.id, slugOrId)
      : eq(templates.slug, slugOrId),
  ) as SQL

const differs = (changes: InputOf<typeof contract.updateTemplate>["json"]) => {
  const given = Object.entries(changes) as [keyof typeof changes, unknown][]
  const pairs = given.map(([field, value]) => {
    const stored = field === "variablesSchema" ? JSON.stringify(value) : value
    return sql`${templates[field]} is not ${stored}`
  })
  return sql`(${sql.join(pairs, sql` or `)})`
}

/** Keeps the current version where it is not kept yet. */
const keepVersion = (ctx: Ctx, slugOrId: string) =>
  ctx.db.run(sql`insert into template_versions (team_id, template_id, version, snapshot, created_at)
    select team_id, id, version,
      json_object('name', name, 'subject', subject, 'bodyHtml', body_html, 'bodyText', body_text,
        'variablesSchema', json(variables_schema)),
      updated_at
    from templates where ${isTemplate(ctx, slugOrId)}
    on conflict do nothing`)

function found<T>(template: T | undefined): T {
  if (template === undefined) throw notFound("Template")
  return template
}
