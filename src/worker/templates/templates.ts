import { and, desc, eq, getTableColumns, isNull, lte, type SQL, sql } from "drizzle-orm"
import { ID_PREFIXES, newId } from "../../lib/id.ts"
import type { Caller, Ctx } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { commit } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { conflict, orNotFound } from "../platform/http/errors.ts"
import { listLargeRecords } from "../platform/http/list.ts"
import type { Page, PageQuery } from "../platform/http/page.ts"
import { MAX_PAGE_BYTES } from "../platform/http/pages/light-page.ts"
import { deleteLinks } from "../stats/links/delete-links.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { fitsWith, isTooLarge, tooLarge } from "./content-size.ts"
import type * as contract from "./contract.ts"
import type { Template, Variables } from "./contract.ts"
import { parseTemplate, type Rendered, render } from "./render.ts"
import { templateDrafts, templates, templateVersions } from "./table.ts"

const NOUN = "Template"
const VERSIONS_SHOWN = 20

const { design, name, subject, bodyHtml, bodyText, variablesSchema } = getTableColumns(templates)

export async function createTemplate(
  ctx: Ctx,
  input: InputOf<typeof contract.createTemplate>["json"],
): Promise<Template> {
  const caller = await ctx.caller()
  if (isTooLarge(input)) throw tooLarge([])
  const now = ctx.now()
  const id = newId("template", now)
  const { created } = await commit(ctx, {
    created: ctx.db
      .insert(templates)
      .values({
        ...input,
        id,
        teamId: caller.team.id,
        version: 1,
        createdAt: now,
        updatedAt: now,
      })
      .onConflictDoNothing()
      .returning(),
    audit: await auditEntry(ctx, "templates.create", { id, label: input.name }),
    version: keepVersion(ctx, input.slug, callerName(caller)),
  })
  if (!created[0]) throw conflict(`The slug '${input.slug}' is taken.`)
  return created[0]
}

export const listTemplates = (ctx: Ctx, query: PageQuery): Promise<Page<Template>> =>
  listLargeRecords(ctx, templates, "template", query, {
    bodyHtml,
    bodyText,
    variablesSchema,
    design,
  })

export async function getTemplate(ctx: Ctx, slugOrId: string): Promise<Template> {
  const [[template]] = await ctx.batch([selectTemplate(ctx, slugOrId)])
  return orNotFound(template, NOUN)
}

export async function getTemplateWithVersions(ctx: Ctx, slugOrId: string) {
  const [[template], versions] = await ctx.batch([
    selectTemplate(ctx, slugOrId),
    selectVersions(ctx, slugOrId),
  ])
  return { ...orNotFound(template, NOUN), versions }
}

/** The newest, as many as fit into a reply. */
export function selectVersions(ctx: Ctx, slugOrId: string) {
  const { version, snapshot } = templateVersions
  const bytes = sql<number>`sum(octet_length(${snapshot})) over (order by ${version} desc)`
  const newest = ctx.db
    .select({ ...getTableColumns(templateVersions), bytes: bytes.as("bytes") })
    .from(templateVersions)
    .where(isVersionOf(ctx, slugOrId))
    .orderBy(desc(version))
    .limit(VERSIONS_SHOWN)
    .as("newest")
  return ctx.db
    .select()
    .from(newest)
    .where(lte(newest.bytes, MAX_PAGE_BYTES))
    .orderBy(desc(newest.version))
}

export async function updateTemplate(
  ctx: Ctx,
  slugOrId: string,
  changes: InputOf<typeof contract.updateTemplate>["json"],
): Promise<Template> {
  const caller = await ctx.caller()
  // Blocks do not describe a body that somebody wrote.
  const bodies = Object.entries(changes).filter(([field]) => field.startsWith("body"))
  const keptDesign =
    bodies.length > 0
      ? sql`iif(${differs(Object.fromEntries(bodies))}, null, ${design})`
      : sql`${design}`
  const {
    changed: [template],
  } = await commit(ctx, {
    change: ctx.db
      .update(templates)
      .set({
        ...changes,
        design: keptDesign,
        version: sql`${templates.version} + 1`,
        updatedAt: ctx.now(),
      })
      .where(and(isTemplate(ctx, slugOrId), differs(changes), fitsWith(changes, keptDesign))),
    audit: await auditEntry(ctx, "templates.update"),
    version: keepVersion(ctx, slugOrId, callerName(caller)),
    changed: selectTemplate(ctx, slugOrId),
  })
  // Only a change that does not fit is not stored.
  if (!hasAll(orNotFound(template, NOUN), changes)) throw tooLarge([])
  return orNotFound(template, NOUN)
}

export async function deleteTemplate(ctx: Ctx, slugOrId: string): Promise<undefined> {
  const { deleted } = await commit(ctx, {
    versions: ctx.db.delete(templateVersions).where(isVersionOf(ctx, slugOrId)),
    draft: ctx.db
      .delete(templateDrafts)
      .where(and(isDraftOf(ctx, slugOrId), isNull(templateDrafts.slug))),
    links: deleteLinks(
      ctx,
      sql`select ${templates.teamId}, ${templates.id} from ${templates} where ${isTemplate(ctx, slugOrId)}`,
    ),
    deleted: ctx.db
      .delete(templates)
      .where(isTemplate(ctx, slugOrId))
      .returning({ id: templates.id }),
    audit: await auditEntry(ctx, "templates.remove"),
  })
  orNotFound(deleted[0], NOUN)
}

export async function renderTemplate(
  ctx: Ctx,
  slugOrId: string,
  variables: Variables,
): Promise<Rendered> {
  const [[template]] = await ctx.batch([selectTemplate(ctx, slugOrId)])
  const rendering = render(parseTemplate(orNotFound(template, NOUN)), variables)
  if (!rendering.ok) throw rendering.error
  return rendering.message
}

export const selectTemplate = (ctx: Ctx, slugOrId: string) =>
  ctx.db.select().from(templates).where(isTemplate(ctx, slugOrId))

/** A slug has no upper case, so it is never an id. */
const isId = (slugOrId: string) => slugOrId.startsWith(`${ID_PREFIXES.template}_`)

export const isTemplate = (ctx: Ctx, slugOrId: string) =>
  and(
    eq(templates.teamId, ctx.team),
    eq(isId(slugOrId) ? templates.id : templates.slug, slugOrId),
  ) as SQL

const isVersionOf = (ctx: Ctx, slugOrId: string) =>
  and(
    eq(templateVersions.teamId, ctx.team),
    eq(templateVersions.templateId, selectId(ctx, slugOrId)),
  )

/** A template that was never published is known by its id alone. */
export const isDraftOf = (ctx: Ctx, slugOrId: string) =>
  and(
    eq(templateDrafts.teamId, ctx.team),
    eq(templateDrafts.templateId, isId(slugOrId) ? slugOrId : selectId(ctx, slugOrId)),
  )

export const selectId = (ctx: Ctx, slugOrId: string) =>
  ctx.db.select({ id: templates.id }).from(templates).where(isTemplate(ctx, slugOrId))

/** Of the person, or of the API key. */
export const callerName = ({ key, session }: Caller): string =>
  key?.name ?? session?.user.name ?? ""

const differs = (changes: InputOf<typeof contract.updateTemplate>["json"]) => {
  const given = Object.entries(changes) as [keyof typeof changes, unknown][]
  const pairs = given.map(([field, value]) => {
    const stored = field === "variablesSchema" ? JSON.stringify(value) : value
    return sql`${templates[field]} is not ${stored}`
  })
  return sql`(${sql.join(pairs, sql` or `)})`
}

const hasAll = (template: Template, changes: object) =>
  Object.entries(changes).every(
    ([field, value]) => JSON.stringify(template[field as keyof Template]) === JSON.stringify(value),
  )

/** Stores the current version, unless it is stored already. */
export const keepVersion = (ctx: Ctx, slugOrId: string, publishedBy: string) =>
  ctx.db.run(
    insertInto(
      templateVersions,
      {
        teamId: templates.teamId,
        templateId: templates.id,
        version: templates.version,
        snapshot: sql`json_object('name', ${name}, 'subject', ${subject}, 'bodyHtml', ${bodyHtml},
          'bodyText', ${bodyText}, 'variablesSchema', json(${variablesSchema}), 'design', json(${design}))`,
        createdAt: templates.updatedAt,
        publishedBy,
      },
      sql`from templates where ${isTemplate(ctx, slugOrId)} on conflict do nothing`,
    ),
  )
