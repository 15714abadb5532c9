import { and, isNotNull, sql } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { commit } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { ApiError, orNotFound } from "../platform/http/errors.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import type { Template, TemplateContent } from "./contract.ts"
import type * as contract from "./draft-contract.ts"
import {
  changedSince,
  isAsSeen,
  isAt,
  isPublishedSlug,
  newRevision,
  type Seen,
  selectDraft,
  slugTaken,
  toDraft,
} from "./drafts.ts"
import { stricterVariables } from "./stricter-variables.ts"
import { templateDrafts, templates } from "./table.ts"
import { callerName, isTemplate, keepVersion, selectTemplate } from "./templates.ts"

const { content, slug } = templateDrafts

const ofDraft = (field: keyof TemplateContent | "design") =>
  sql`${content} ->> ${sql.raw(`'${field}'`)}`

const CONTENT = {
  name: ofDraft("name"),
  subject: ofDraft("subject"),
  bodyHtml: ofDraft("bodyHtml"),
  bodyText: ofDraft("bodyText"),
  variablesSchema: ofDraft("variablesSchema"),
  design: ofDraft("design"),
}

/** The draft gets a revision of this call if all is as it was seen: the other statements look for it. */
export async function publishTemplate(
  ctx: Ctx,
  slugOrId: string,
  { confirmedVariables, ...seen }: InputOf<typeof contract.publishTemplate>["json"],
): Promise<Template> {
  const caller = await ctx.caller()
  await refuseUnconfirmed(ctx, slugOrId, seen, confirmedVariables)
  const claim = newRevision()
  const isClaimed = isAt(ctx, slugOrId, claim)
  const { published, draft, rows } = await commit(ctx, {
    claimed: ctx.db
      .update(templateDrafts)
      .set({ revision: claim })
      .where(and(isAt(ctx, slugOrId, seen.revision), mayPublish(ctx, slugOrId, seen.version))),
    change: changeTemplate(ctx, slugOrId, isClaimed),
    first: insertTemplate(ctx, isClaimed),
    version: keepVersion(ctx, slugOrId, callerName(caller)),
    published: ctx.db
      .delete(templateDrafts)
      .where(isClaimed)
      .returning({ id: templateDrafts.templateId }),
    audit: await auditEntry(ctx, "templates.publish"),
    draft: selectDraft(ctx, slugOrId),
    rows: selectTemplate(ctx, slugOrId),
  })
  if (published[0]) return orNotFound(rows[0], "Template")
  const now = toDraft(draft[0])
  throw isAsSeen(now, seen) ? slugTaken(now.slug) : changedSince(now, seen.version)
}

/** Mail that leaves out a variable, or gives it another type, would be refused from now on. */
async function refuseUnconfirmed(
  ctx: Ctx,
  slugOrId: string,
  seen: Seen,
  confirmed: readonly string[],
) {
  const [[row]] = await ctx.batch([selectDraft(ctx, slugOrId)])
  const draft = toDraft(row)
  if (!row?.template || !isAsSeen(draft, seen)) return
  const variables = stricterVariables(row.template, draft)
    .map(({ name }) => name)
    .filter((name) => !confirmed.includes(name))
  if (variables.length === 0) return
  const message = `Emails without these variables would be refused: ${variables.join(", ")}.`
  throw new ApiError("conflict", message, { variables })
}

const mayPublish = (ctx: Ctx, slugOrId: string, version: number) =>
  sql`iif(${slug} is null,
    exists (select 1 from ${templates} where ${isTemplate(ctx, slugOrId)} and ${templates.version} = ${version}),
    ${version} = 0 and not ${isPublishedSlug(ctx, slug)})`

const changeTemplate = (ctx: Ctx, slugOrId: string, isClaimed: ReturnType<typeof isAt>) =>
  ctx.db
    .update(templates)
    .set({
      ...Object.fromEntries(
        Object.entries(CONTENT).map(([field, value]) => [
          field,
          sql`(select ${value} from ${templateDrafts} where ${isClaimed})`,
        ]),
      ),
      version: sql`${templates.version} + 1`,
      updatedAt: ctx.now(),
    })
    .where(
      and(
        isTemplate(ctx, slugOrId),
        sql`exists (select 1 from ${templateDrafts} where ${isClaimed})`,
      ),
    )

const insertTemplate = (ctx: Ctx, isClaimed: ReturnType<typeof isAt>, now = ctx.now()) =>
  ctx.db.run(
    insertInto(
      templates,
      {
        teamId: templateDrafts.teamId,
        id: templateDrafts.templateId,
        slug,
        ...CONTENT,
        version: 1,
        createdAt: now,
        updatedAt: now,
      },
      sql`from ${templateDrafts} where ${and(isClaimed, isNotNull(slug))}`,
    ),
  )
