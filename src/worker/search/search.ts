import { and, eq } from "drizzle-orm"
import { ID_PREFIXES, type IdKind, isId } from "../../lib/id.ts"
import { listEmails } from "../emails/list/list.ts"
import { emails } from "../emails/table.ts"
import { toEmail } from "../emails/view.ts"
import type { Ctx } from "../platform/context.ts"
import type { InputOf, OutputOf } from "../platform/http/endpoint.ts"
import type { searchId as contract } from "./contract.ts"

type Found = OutputOf<typeof contract>

/** The objects that have a page, by the kind of their id. */
const TYPES: Partial<Record<IdKind, string>> = {
  apiKey: "apiKeys",
  campaign: "campaigns",
  contact: "contacts",
  contactBook: "contactBooks",
  delivery: "deliveries",
  domain: "domains",
  email: "emails",
  form: "forms",
  inbox: "inboxes",
  layout: "layouts",
  segment: "segments",
  sequence: "sequences",
  suppression: "suppressions",
  template: "templates",
  thread: "threads",
  topic: "topics",
  user: "members",
  webhook: "webhooks",
}

/** The page of the object checks whether the object exists. One round trip. */
export async function searchId(
  ctx: Ctx,
  { q, ...query }: InputOf<typeof contract>["query"],
): Promise<Found> {
  const [kind, id] = readId(q)
  const type = kind && TYPES[kind]
  const object = type ? { type, id } : null
  if (kind === "campaign" || kind === "sequence")
    return { object, ...(await listEmails(ctx, { ...query, [`${kind}Id`]: id })) }
  if (kind !== "email") return { object, data: [], nextCursor: null }
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(emails)
      .where(and(eq(emails.teamId, ctx.team), eq(emails.id, id))),
  ])
  return { object: rows.length > 0 ? object : null, data: rows.map(toEmail), nextCursor: null }
}

/** The id with its prefix in lower case, as the database has it. */
function readId(text: string): [kind: IdKind | undefined, id: string] {
  const [prefix = "", rest = ""] = text.trim().split("_")
  const id = `${prefix.toLowerCase()}_${rest.toUpperCase()}`
  return [(Object.keys(ID_PREFIXES) as IdKind[]).find((kind) => isId(kind, id)), id]
}
