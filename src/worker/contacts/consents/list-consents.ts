import type { Ctx } from "../../platform/context.ts"
import type { OutputOf } from "../../platform/http/endpoint.ts"
import { orNotFound } from "../../platform/http/errors.ts"
import { isListed } from "../contacts.ts"
import type { listConsents as contract } from "../dashboard-contract.ts"
import { contacts } from "../table.ts"

export async function listConsents(
  ctx: Ctx,
  bookId: string,
  id: string,
): Promise<OutputOf<typeof contract>> {
  const [[row]] = await ctx.batch([
    ctx.db
      .select({ consents: contacts.consents })
      .from(contacts)
      .where(isListed(ctx, bookId, id)),
  ])
  return { data: orNotFound(row, "Contact").consents.toReversed() }
}
