import { and, eq, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { median } from "../../lib/median.ts"
import { seal } from "../../lib/seal.ts"
import { SECOND_MS } from "../../lib/time.ts"
import { assertMaySendAs } from "../access/may-send-from.ts"
import { bookOrNotFound, selectBook } from "../contacts/books.ts"
import { refuseWithoutSender } from "../contacts/confirmation/create-pending.ts"
import { contactBooks } from "../contacts/table.ts"
import type { Ctx } from "../platform/context.ts"
import { namedBatch } from "../platform/db/client.ts"
import { commit } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { invalid, orNotFound } from "../platform/http/errors.ts"
import { listLargeRecords } from "../platform/http/list.ts"
import type { Page, PageQuery } from "../platform/http/page.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { selectKnown } from "../topics/known.ts"
import type { ConfirmationMail } from "./confirmation-contract.ts"
import type * as contract from "./contract.ts"
import type { Form } from "./contract.ts"
import { type FormRow, forms } from "./table.ts"

const NOUN = "Form"

export async function createForm(
  ctx: Ctx,
  { turnstileSecret, ...input }: InputOf<typeof contract.createForm>["json"],
): Promise<Form> {
  const { books, known } = await namedBatch(ctx, {
    books: selectBook(ctx, input.bookId),
    known: selectKnown(ctx, ctx.team, input.topicIds),
  })
  if (!books[0]) throw invalid(["bookId"], "Contact book not found")
  refuseUnknownTopics(input.topicIds, known)
  const { defaultFrom } = bookOrNotFound(books[0])
  refuseWithoutSender(defaultFrom)
  await assertMaySendAs(ctx, defaultFrom)
  await refuseUnfit(input)
  const { team } = await ctx.caller()
  const now = ctx.now()
  const id = newId("form", now)
  const { created } = await commit(ctx, {
    created: ctx.db
      .insert(forms)
      .values({
        ...input,
        id,
        teamId: team.id,
        createdAt: now,
        updatedAt: now,
        turnstileSecret: turnstileSecret && seal(ctx.settings, id, turnstileSecret),
      })
      .returning(),
    audit: await auditEntry(ctx, "forms.create", { id, label: input.name }),
  })
  return toForm(orNotFound(created[0], NOUN))
}

export async function listForms(
  ctx: Ctx,
  { bookId, ...query }: InputOf<typeof contract.listForms>["query"] & PageQuery,
): Promise<Page<Form>> {
  const page = await listLargeRecords(
    ctx,
    forms,
    "form",
    query,
    { fields: forms.fields, confirmation: forms.confirmation },
    bookId === undefined ? undefined : eq(forms.bookId, bookId),
  )
  return { ...page, data: page.data.map(toForm) }
}

/** Renderers are loaded where they are used. */
async function refuseUnfit({
  confirmation,
}: {
  confirmation?: ConfirmationMail | null | undefined
}) {
  if (!confirmation) return
  const compose = await import("../contacts/confirmation/compose.ts")
  compose.refuseUnfit(confirmation)
}

export async function getForm(ctx: Ctx, id: string): Promise<Form> {
  const [[row]] = await ctx.batch([ctx.db.select().from(forms).where(isForm(ctx, id))])
  return toForm(orNotFound(row, NOUN))
}

export async function updateForm(
  ctx: Ctx,
  id: string,
  { turnstileSecret: secret, ...changes }: InputOf<typeof contract.updateForm>["json"],
): Promise<Form> {
  const { topicIds = [] } = changes
  const { senders, known } = await namedBatch(ctx, {
    senders: ctx.db
      .select({ defaultFrom: contactBooks.defaultFrom })
      .from(forms)
      .innerJoin(
        contactBooks,
        and(eq(contactBooks.teamId, forms.teamId), eq(contactBooks.id, forms.bookId)),
      )
      .where(isForm(ctx, id)),
    known: selectKnown(ctx, ctx.team, topicIds),
  })
  refuseUnknownTopics(topicIds, known)
  await assertMaySendAs(ctx, senders[0]?.defaultFrom ?? null)
  await refuseUnfit(changes)
  const { updated } = await commit(ctx, {
    updated: ctx.db
      .update(forms)
      .set({
        ...changes,
        ...(secret !== undefined && {
          turnstileSecret: secret && seal(ctx.settings, id, secret),
        }),
        updatedAt: sql`max(${ctx.now()}, ${forms.updatedAt} + 1)`,
      })
      .where(isForm(ctx, id))
      .returning(),
    audit: await auditEntry(ctx, "forms.update", { id }),
  })
  return toForm(orNotFound(updated[0], NOUN))
}

export async function deleteForm(ctx: Ctx, id: string): Promise<undefined> {
  const { deleted } = await commit(ctx, {
    deleted: ctx.db.delete(forms).where(isForm(ctx, id)).returning({ id: forms.id }),
    audit: await auditEntry(ctx, "forms.remove", { id }),
  })
  orNotFound(deleted[0], NOUN)
}

function toForm({ turnstileSecret, asked, confirmed, waits, ...row }: FormRow): Form {
  const wait = median(waits)
  return {
    ...row,
    hasTurnstile: turnstileSecret !== null,
    counts: { asked, confirmed, medianSeconds: wait && wait / SECOND_MS },
  }
}

function refuseUnknownTopics(ids: readonly string[], known: readonly { id: string }[]): void {
  const unknown = ids.find((id) => !known.some((topic) => topic.id === id))
  if (unknown !== undefined) throw invalid(["topicIds", unknown], "Topic not found")
}

const isForm = (ctx: Ctx, id: string) => and(eq(forms.teamId, ctx.team), eq(forms.id, id))
