import { and, desc, eq, sql } from "drizzle-orm"
import type { IdKind } from "../../lib/id.ts"
import { listEmails } from "../emails/list.ts"
import { emails } from "../emails/table.ts"
import { toEmail } from "../emails/view.ts"
import type { Ctx } from "../platform/context.ts"
import type { InputOf, OutputOf } from "../platform/http/endpoint.ts"
import { isInWalk } from "../platform/http/list.ts"
import { toPage, writeCursor } from "../platform/http/page.ts"
import { type searchEmails as contract, SUBJECT_SCAN } from "./contract.ts"
import { type Asked, readAsked } from "./query.ts"

type Query = InputOf<typeof contract>["query"]
type Page = Omit<Query, "q">
type Found = OutputOf<typeof contract>

/** One round trip for each kind of text. */
export async function searchEmails(ctx: Ctx, { q, ...query }: Query): Promise<Found> {
  const asked = readAsked(q)
  if (asked.kind === "subject") return findSubjects(ctx, asked.words, query)
  if (asked.kind === "id") return findId(ctx, asked, query)
  const page = await listEmails(ctx, { ...query, ...filtersOf(asked) })
  return { kind: asked.kind, object: null, ...page, searchedBack: null }
}

function filtersOf(asked: Exclude<Asked, { kind: "subject" | "id" }>) {
  switch (asked.kind) {
    case "address":
      return { to: { kind: "address" as const, text: asked.address } }
    case "status":
      return { status: [asked.status] }
    case "tag":
      return { tag: [asked.tag] }
    default:
      return {}
  }
}

/** The objects that have a page, by the kind of their id. */
const TYPES: Partial<Record<IdKind, string>> = {
  apiKey: "apiKeys",
  campaign: "campaigns",
  contact: "contacts",
  contactBook: "contactBooks",
  delivery: "deliveries",
  domain: "domains",
  email: "emails",
  layout: "layouts",
  suppression: "suppressions",
  template: "templates",
  user: "members",
  webhook: "webhooks",
}

/** The page of the object checks whether the object exists. */
async function findId(
  ctx: Ctx,
  { of, id }: Extract<Asked, { kind: "id" }>,
  page: Page,
): Promise<Found> {
  const type = TYPES[of]
  const found = { kind: "id" as const, object: type ? { type, id } : null, searchedBack: null }
  if (of === "campaign")
    return { ...found, ...(await listEmails(ctx, { ...page, campaignId: id })) }
  if (of !== "email") return { ...found, data: [], nextCursor: null }
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(emails)
      .where(and(eq(emails.teamId, ctx.team), eq(emails.id, id))),
  ])
  const object = rows.length > 0 ? found.object : null
  return { ...found, object, data: rows.map(toEmail), nextCursor: null }
}

/** There is no index of words, so a page reads a bounded number of the newest emails. */
async function findSubjects(ctx: Ctx, words: readonly string[], query: Page): Promise<Found> {
  const scanned = ctx.db
    .select()
    .from(emails)
    .where(and(eq(emails.teamId, ctx.team), isInWalk(emails.id, "email", query)))
    .orderBy(desc(emails.id))
    .limit(SUBJECT_SCAN)
    .as("scanned")
  const [rows, [end]] = await ctx.batch([
    ctx.db
      .select()
      .from(scanned)
      .where(and(...words.map((word) => sql`instr(lower(${scanned.subject}), ${word}) > 0`)))
      .orderBy(desc(scanned.id))
      .limit(query.limit + 1),
    ctx.db.all<{ id: string | null; emails: number; createdAt: number | null }>(
      sql`select min(${scanned.id}) as id, count(*) as emails, min(${scanned.createdAt}) as createdAt
        from ${scanned}`,
    ),
  ])
  const page = toPage(rows, query.limit)
  const stopped = end?.emails === SUBJECT_SCAN && end.id !== null
  return {
    kind: "subject",
    object: null,
    data: page.data.map(toEmail),
    nextCursor: page.nextCursor ?? (stopped ? writeCursor(end.id as string) : null),
    searchedBack: stopped ? end.createdAt : null,
  }
}
