import { and, eq, sql } from "drizzle-orm"
import { randomBase64url } from "../../lib/crypto.ts"
import type { Ctx } from "../platform/context.ts"
import { namedBatch } from "../platform/db/client.ts"
import { excluded, insertInto } from "../platform/db/columns.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { ApiError, orNotFound } from "../platform/http/errors.ts"
import { inWalk, isInWalk } from "../platform/http/list.ts"
import { type PageQuery, toPage } from "../platform/http/page.ts"
import type { Template, TemplateContent } from "./contract.ts"
import type * as contract from "./draft-contract.ts"
import type { TemplateDraft } from "./draft-contract.ts"
import { templateDrafts, templates } from "./table.ts"
import { callerName, isDraftOf, isTemplate, keepVersion, selectTemplate } from "./templates.ts"

const REVISION_BYTES = 9

export async function getTemplateDraft(ctx: Ctx, slugOrId: string): Promise<TemplateDraft> {
  const [[row]] = await ctx.batch([selectDraft(ctx, slugOrId)])
  return toDraft(row)
}

export async function listTemplateDrafts(ctx: Ctx, query: PageQuery) {
  const { teamId, templateId, updatedAt, updatedBy } = templateDrafts
  const [rows] = await ctx.batch([
    ctx.db
      .select({ id: templateId, updatedAt, updatedBy })
      .from(templateDrafts)
      .where(and(eq(teamId, ctx.team), isInWalk(templateId, "template", query)))
      .orderBy(inWalk(templateId, query))
      .limit(query.limit + 1),
  ])
  return toPage(rows, query.limit, query.before)
}

export async function saveTemplateDraft(
  ctx: Ctx,
  slugOrId: string,
  { version, revision, ...content }: InputOf<typeof contract.saveTemplateDraft>["json"],
): Promise<TemplateDraft> {
  const caller = await ctx.caller()
  const saved = randomBase64url(REVISION_BYTES)
  const { rows } = await namedBatch(ctx, {
    draft: ctx.db.run(
      insertInto(
        templateDrafts,
        {
          teamId: templates.teamId,
          templateId: templates.id,
          content: JSON.stringify(content),
          revision: saved,
          updatedAt: ctx.now(),
          updatedBy: callerName(caller),
        },
        sql`from ${templates} left join ${templateDrafts} on ${isItsDraft}
          where ${isTemplate(ctx, slugOrId)} and ${templates.version} = ${version}
            and ${templateDrafts.revision} is ${revision}
          on conflict do update set content = ${excluded(templateDrafts.content)},
            revision = ${excluded(templateDrafts.revision)}, updated_at = ${excluded(templateDrafts.updatedAt)},
            updated_by = ${excluded(templateDrafts.updatedBy)}`,
      ),
    ),
    rows: selectDraft(ctx, slugOrId),
  })
  const draft = toDraft(rows[0])
  if (draft.revision !== saved) throw changedSince(draft, version)
  return draft
}

export async function discardTemplateDraft(
  ctx: Ctx,
  slugOrId: string,
  revision: string,
): Promise<undefined> {
  const { rows } = await namedBatch(ctx, {
    discarded: ctx.db.delete(templateDrafts).where(isAt(ctx, slugOrId, revision)),
    rows: selectDraft(ctx, slugOrId),
  })
  const draft = toDraft(rows[0])
  if (draft.revision !== null) throw changedSince(draft, draft.version)
}

/** The draft gets a revision of this call if all is as it was seen: the other statements look for it. */
export async function publishTemplate(
  ctx: Ctx,
  slugOrId: string,
  { version, revision }: InputOf<typeof contract.publishTemplate>["json"],
): Promise<Template> {
  const caller = await ctx.caller()
  const claim = randomBase64url(REVISION_BYTES)
  const isClaimed = isAt(ctx, slugOrId, claim)
  const ofDraft = (field: keyof TemplateContent) =>
    sql`(select ${templateDrafts.content} ->> ${sql.raw(`'${field}'`)} from ${templateDrafts} where ${isClaimed})`
  const { published, draft, rows } = await namedBatch(ctx, {
    claimed: ctx.db
      .update(templateDrafts)
      .set({ revision: claim })
      .where(
        and(
          isAt(ctx, slugOrId, revision),
          sql`exists (select 1 from ${templates} where ${isTemplate(ctx, slugOrId)} and ${templates.version} = ${version})`,
        ),
      ),
    change: ctx.db
      .update(templates)
      .set({
        name: ofDraft("name"),
        subject: ofDraft("subject"),
        bodyHtml: ofDraft("bodyHtml"),
        bodyText: ofDraft("bodyText"),
        variablesSchema: ofDraft("variablesSchema"),
        version: sql`${templates.version} + 1`,
        updatedAt: ctx.now(),
      })
      .where(
        and(
          isTemplate(ctx, slugOrId),
          sql`exists (select 1 from ${templateDrafts} where ${isClaimed})`,
        ),
      ),
    version: keepVersion(ctx, slugOrId, callerName(caller)),
    published: ctx.db
      .delete(templateDrafts)
      .where(isClaimed)
      .returning({ id: templateDrafts.templateId }),
    draft: selectDraft(ctx, slugOrId),
    rows: selectTemplate(ctx, slugOrId),
  })
  const template = orNotFound(rows[0], "Template")
  if (!published[0]) throw changedSince(toDraft(draft[0]), version)
  return template
}

const isItsDraft = and(
  eq(templateDrafts.teamId, templates.teamId),
  eq(templateDrafts.templateId, templates.id),
)

const isAt = (ctx: Ctx, slugOrId: string, revision: string) =>
  and(isDraftOf(ctx, slugOrId), eq(templateDrafts.revision, revision))

/** D1 answers a row of a batch by the names of its columns, so no two are the same. */
const selectDraft = (ctx: Ctx, slugOrId: string) =>
  ctx.db
    .select({
      template: templates,
      content: templateDrafts.content,
      revision: templateDrafts.revision,
      savedAt: sql<number>`${templateDrafts.updatedAt}`.as("saved_at"),
      updatedBy: templateDrafts.updatedBy,
    })
    .from(templates)
    .leftJoin(templateDrafts, isItsDraft)
    .where(isTemplate(ctx, slugOrId))

type DraftRow = Awaited<ReturnType<typeof selectDraft>>[number]

function toDraft(row: DraftRow | undefined): TemplateDraft {
  const { template, content, revision, savedAt, updatedBy } = orNotFound(row, "Template")
  const { version } = template
  if (!content) return { ...template, version, revision: null, updatedBy: null }
  return { ...content, version, revision, updatedAt: savedAt, updatedBy }
}

function changedSince(
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
