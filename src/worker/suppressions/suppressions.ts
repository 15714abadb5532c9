import { and, eq, or, sql } from "drizzle-orm"
import { normalizeAddress } from "../../lib/address.ts"
import { chunk } from "../../lib/chunk.ts"
import { isId, newId } from "../../lib/id.ts"
import type { Ctx } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { isOneOf, jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { orNotFound } from "../platform/http/errors.ts"
import { listRecords } from "../platform/http/list.ts"
import type { Page, PageQuery } from "../platform/http/page.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import type {
  listSuppressions as listContract,
  restoreSuppression as restoreContract,
  Suppression,
} from "./contract.ts"
import { erasedForm } from "./erased.ts"
import { insertSuppressions } from "./insert.ts"
import { searchSuppressions } from "./search.ts"
import { suppressions } from "./table.ts"

const NOUN = "Suppression"

type OldSuppression = InputOf<typeof restoreContract>["json"]
export type NewSuppression = Pick<OldSuppression, "email" | "reason" | "note"> &
  Partial<OldSuppression>

export async function addSuppression(
  ctx: Ctx,
  input: NewSuppression,
  action?: string,
): Promise<Suppression> {
  const [added] = await addSuppressions(ctx, [input], action)
  return added as Suppression
}

/** The entries of these addresses: new ones, or those that were there already. */
export async function addSuppressions(
  ctx: Ctx,
  inputs: readonly NewSuppression[],
  action?: string,
): Promise<Suppression[]> {
  return (await storeSuppressions(ctx, inputs, action)).entries
}

/** D1 binds 2 MB a value: notes may have a thousand characters of three bytes. */
const IMPORTED_AT_ONCE = 500

/** Stores the addresses of a file, some in each transaction. Answers how many are new. */
export async function storeImported(ctx: Ctx, inputs: readonly NewSuppression[]): Promise<number> {
  let count = 0
  for (const some of chunk(inputs, IMPORTED_AT_ONCE)) {
    count += (await storeSuppressions(ctx, some, "suppressions.import")).added
  }
  return count
}

/** Also answers how many are new. */
async function storeSuppressions(
  ctx: Ctx,
  inputs: readonly NewSuppression[],
  action = "suppressions.add",
): Promise<{ added: number; entries: Suppression[] }> {
  const { team } = await ctx.caller()
  const added = { sourceEmailId: null, createdAt: ctx.now() }
  const rows = inputs.map((input) => {
    const row = { ...added, ...input }
    const createdAt = Math.max(0, Math.min(row.createdAt, ctx.now()))
    const id = newId("suppression", createdAt)
    return { ...row, createdAt, id, erased: erasedForm(ctx.settings, input.email) }
  })
  const x = jsonFields<(typeof rows)[number]>()
  const label = inputs.length === 1 ? rows[0]?.email : undefined
  const { inserted, listed } = await commit(ctx, {
    inserted: ctx.db.all(
      sql`${insertSuppressions(
        {
          teamId: team.id,
          email: x.email,
          id: x.id,
          reason: x.reason,
          note: x.note,
          sourceEmailId: x.sourceEmailId,
          createdAt: x.createdAt,
        },
        sql`from ${jsonRows(rows)} where not exists (select 1 from suppressions
          where ${suppressions.teamId} = ${team.id}
            and ${suppressions.email} in (${x.email}, ${x.erased}))`,
      )} returning ${suppressions.id}`,
    ),
    audit: await auditEntry(ctx, action, { id: rows[0]?.id, label }),
    listed: ctx.db
      .select()
      .from(suppressions)
      .where(
        isAsked(
          ctx,
          inputs.map(({ email }) => email),
        ),
      ),
  })
  const byEmail = new Map(listed.map((row) => [row.email, row]))
  const entries = rows.map(({ email, erased }) => byEmail.get(email) ?? byEmail.get(erased))
  return { added: inserted.length, entries: entries as Suppression[] }
}

/** By an address or an id. */
export async function getSuppression(ctx: Ctx, emailOrId: string): Promise<Suppression> {
  const [[row]] = await ctx.batch([
    ctx.db
      .select()
      .from(suppressions)
      .where(isAsked(ctx, [emailOrId])),
  ])
  return orNotFound(row, NOUN)
}

export const listSuppressions = (
  ctx: Ctx,
  { q, ...query }: InputOf<typeof listContract>["query"] & PageQuery,
): Promise<Page<Suppression>> =>
  q === undefined
    ? listRecords(ctx, suppressions, "suppression", query)
    : searchSuppressions(ctx, { ...query, q })

export async function removeSuppression(ctx: Ctx, email: string): Promise<undefined> {
  const address = normalizeAddress(email)
  const [removed] = address ? await removeSuppressions(ctx, [address]) : []
  orNotFound(removed, NOUN)
}

/** Removes the existing entries of these addresses or ids. */
export async function removeSuppressions(
  ctx: Ctx,
  emailsOrIds: readonly string[],
): Promise<Suppression[]> {
  const { removed } = await commit(ctx, {
    removed: ctx.db.delete(suppressions).where(isAsked(ctx, emailsOrIds)).returning(),
    audit: await auditEntry(ctx, "suppressions.remove"),
  })
  return removed
}

/** A caller who knows an erased address still finds its entry. */
function isAsked(ctx: Ctx, emailsOrIds: readonly string[]) {
  const ids = emailsOrIds.filter((text) => isId("suppression", text))
  const addresses = emailsOrIds.flatMap((text) => normalizeAddress(text) ?? [])
  const emails = addresses.flatMap((address) => [address, erasedForm(ctx.settings, address)])
  return and(
    eq(suppressions.teamId, ctx.team),
    or(isOneOf(suppressions.email, emails), isOneOf(suppressions.id, ids)),
  )
}
