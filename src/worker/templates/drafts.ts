import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm"
import { unionAll } from "drizzle-orm/sqlite-core"
import { randomBase64url } from "../../lib/crypto.ts"
import { newId } from "../../lib/id.ts"
import type { Ctx } from "../platform/context.ts"
import { excluded, insertInto } from "../platform/db/columns.ts"
import { commit } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { ApiError, invalid, orNotFound } from "../platform/http/errors.ts"
import { isInRange, pageOrder } from "../platform/http/list.ts"
import { type PageQuery, toPage } from "../platform/http/page.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { isTooLarge, tooLarge } from "./content-size.ts"
import type { TemplateContent } from "./contract.ts"
import { renderDesign } from "./design.ts"
import type { Design } from "./design-contract.ts"
import type * as contract from "./draft-contract.ts"
import type { TemplateDraft } from "./draft-contract.ts"
import { templateDrafts, templates } from "./table.ts"
import { callerName, isDraftOf, isTemplate, selectId, selectVersions } from "./templates.ts"

const REVISION_BYTES = 9

export const newRevision = () => randomBase64url(REVISION_BYTES)

/** Nothing but the draft is stored until somebody publishes it, so no call with a key finds it. */
export async function createTemplateDraft(
  ctx: Ctx,
  { slug, ...input }: InputOf<typeof contract.createTemplateDraft>["json"],
): Promise<TemplateDraft> {
  const caller = await ctx.caller()
  const id = newId("template", ctx.now())
  const { rows } = await commit(ctx, {
    draft: ctx.db.run(
      insertInto(
        templateDrafts,
        {
          teamId: caller.team.id,
          templateId: id,
          slug,
          content: JSON.stringify(withBodies(input)),
          revision: newRevision(),
          updatedAt: ctx.now(),
          updatedBy: callerName(caller),
        },
        sql`where ${isPublishedSlug(ctx, slug)} is false on conflict do nothing`,
      ),
    ),
    audit: await auditEntry(ctx, "templates.createDraft", { id, label: input.name }),
    rows: selectDraft(ctx, id),
  })
  if (!rows[0]) throw slugTaken(slug)
  return toDraft(rows[0])
}

export async function getTemplateDraft(ctx: Ctx, slugOrId: string) {
  const [[row], versions] = await ctx.batch([
    selectDraft(ctx, slugOrId),
    selectVersions(ctx, slugOrId),
  ])
  return { ...toDraft(row), versions }
}

export async function listTemplateDrafts(ctx: Ctx, query: PageQuery) {
  const { teamId, templateId, slug, content, updatedAt, updatedBy } = templateDrafts
  const ofUnpublished = (field: "name" | "subject") =>
    sql<string>`iif(${slug} is null, '', ${content} ->> ${sql.raw(`'${field}'`)})`.as(field)
  const [rows] = await ctx.batch([
    ctx.db
      .select({
        id: templateId,
        slug,
        updatedAt,
        updatedBy,
        name: ofUnpublished("name"),
        subject: ofUnpublished("subject"),
      })
      .from(templateDrafts)
      .where(and(eq(teamId, ctx.team), isInRange(templateId, "template", query)))
      .orderBy(pageOrder(templateId, query))
      .limit(query.limit + 1),
  ])
  const listed = rows.map(({ slug, name, subject, ...draft }) => ({
    ...draft,
    unpublished: slug === null ? null : { slug, name, subject },
  }))
  return toPage(listed, query.limit, query.before)
}

export async function saveTemplateDraft(
  ctx: Ctx,
  slugOrId: string,
  { version, revision, slug, ...input }: InputOf<typeof contract.saveTemplateDraft>["json"],
): Promise<TemplateDraft> {
  const caller = await ctx.caller()
  const saved = {
    content: withBodies(input),
    revision: newRevision(),
    updatedAt: ctx.now(),
    updatedBy: callerName(caller),
  }
  const isSaved = sql`where exists (select 1 from ${templateDrafts}
    where ${isAt(ctx, slugOrId, saved.revision)})`
  const { rows } = await commit(ctx, {
    unpublished: ctx.db
      .update(templateDrafts)
      .set({ ...saved, ...(slug !== undefined && { slug }) })
      .where(
        and(
          isUnpublished(ctx, slugOrId),
          sql`${version} = 0 and ${templateDrafts.revision} is ${revision}`,
          slug === undefined ? undefined : isFreeSlug(ctx, slugOrId, slug),
        ),
      ),
    draft: ctx.db.run(
      insertInto(
        templateDrafts,
        {
          teamId: templates.teamId,
          templateId: templates.id,
          ...saved,
          content: JSON.stringify(saved.content),
        },
        sql`from ${templates} left join ${templateDrafts} on ${isItsDraft}
          where ${isTemplate(ctx, slugOrId)} and ${templates.version} = ${version}
            and ${templateDrafts.revision} is ${revision}
          on conflict do update set content = ${excluded(templateDrafts.content)},
            revision = ${excluded(templateDrafts.revision)}, updated_at = ${excluded(templateDrafts.updatedAt)},
            updated_by = ${excluded(templateDrafts.updatedBy)}`,
      ),
    ),
    // A draft saves itself at every pause of its author: its beginning is logged, and who publishes it.
    ...(revision === null && {
      audit: await auditEntry(ctx, "templates.saveDraft", {}, isSaved),
    }),
    rows: selectDraft(ctx, slugOrId),
  })
  const draft = toDraft(rows[0])
  if (draft.revision === saved.revision) return draft
  if (isAsSeen(draft, { version, revision }) && slug !== undefined) throw slugTaken(slug)
  throw changedSince(draft, version)
}

export async function discardTemplateDraft(
  ctx: Ctx,
  slugOrId: string,
  revision: string,
): Promise<undefined> {
  const { discarded, rows } = await commit(ctx, {
    discarded: ctx.db
      .delete(templateDrafts)
      .where(isAt(ctx, slugOrId, revision))
      .returning({ id: templateDrafts.templateId }),
    audit: await auditEntry(ctx, "templates.discardDraft"),
    rows: selectDraft(ctx, slugOrId),
  })
  if (discarded[0]) return
  const draft = toDraft(rows[0])
  if (draft.revision !== null) throw changedSince(draft, draft.version)
}

function withBodies(content: TemplateContent & { design?: Design | null | undefined }) {
  const whole = {
    ...content,
    ...(content.design && renderDesign(content.subject, content.design)),
    design: content.design ?? null,
  }
  if (isTooLarge(whole)) throw tooLarge(["design"])
  return whole
}

const isItsDraft = and(
  eq(templateDrafts.teamId, templates.teamId),
  eq(templateDrafts.templateId, templates.id),
)

export const isAt = (ctx: Ctx, slugOrId: string, revision: string) =>
  and(isDraftOf(ctx, slugOrId), eq(templateDrafts.revision, revision)) as SQL

const isUnpublished = (ctx: Ctx, id: string) =>
  and(isDraftOf(ctx, id), isNotNull(templateDrafts.slug))

export const isPublishedSlug = (ctx: Ctx, slug: string | typeof templateDrafts.slug) =>
  sql`exists (select 1 from ${templates} where ${templates.teamId} = ${ctx.team} and ${templates.slug} = ${slug})`

const isFreeSlug = (ctx: Ctx, id: string, slug: string) =>
  sql`not ${isPublishedSlug(ctx, slug)} and not exists (select 1 from template_drafts other
    where other.team_id = ${ctx.team} and other.slug = ${slug} and other.template_id <> ${id})`

/** D1 answers a row of a batch by the names of its columns, so no two are the same. */
export function selectDraft(ctx: Ctx, slugOrId: string) {
  const { teamId, templateId, slug, content, revision, updatedAt, updatedBy } = templateDrafts
  const unpublished = ctx.db
    .select({ id: templateId })
    .from(templateDrafts)
    .where(isUnpublished(ctx, slugOrId))
  const one = unionAll(selectId(ctx, slugOrId), unpublished).as("one")
  return ctx.db
    .select({
      templateId: sql<string>`${one.id}`.as("template_id"),
      template: templates,
      content,
      revision,
      updatedBy,
      ownSlug: sql<string | null>`${slug}`.as("own_slug"),
      savedAt: sql<number>`${updatedAt}`.as("saved_at"),
    })
    .from(one)
    .leftJoin(templates, and(eq(templates.teamId, ctx.team), eq(templates.id, one.id)))
    .leftJoin(templateDrafts, and(eq(teamId, ctx.team), eq(templateId, one.id)))
}

type DraftRow = Awaited<ReturnType<typeof selectDraft>>[number]

export function toDraft(row: DraftRow | undefined): TemplateDraft {
  const { templateId, template, ownSlug, content, revision, savedAt, updatedBy } = orNotFound(
    row,
    "Template",
  )
  const known = { id: templateId, slug: template?.slug ?? ownSlug ?? "" }
  const version = template?.version ?? 0
  if (content) return { ...content, ...known, version, revision, updatedAt: savedAt, updatedBy }
  if (!template) throw new Error("Neither published nor a draft")
  return { ...template, ...known, version, revision: null, updatedBy: null }
}

export type Seen = Pick<TemplateDraft, "version" | "revision">

export const isAsSeen = (draft: Seen, seen: Seen) =>
  draft.version === seen.version && draft.revision === seen.revision

export const slugTaken = (slug: string) => invalid(["slug"], `The slug '${slug}' is taken.`)

export function changedSince(
  { version, revision, updatedBy }: TemplateDraft,
  seenVersion: number,
): ApiError {
  const message =
    version !== seenVersion
      ? `Version ${version} was published since.`
      : revision === null
        ? "The draft was published or discarded since."
        : `${updatedBy} saved the draft since.`
  return new ApiError("conflict", message, { version, revision, updatedBy })
}
