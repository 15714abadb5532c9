import { ensureContactBook } from "../contacts/books.ts"
import type { Ctx } from "../env.ts"
import { derivedId } from "../lib/id.ts"

/**
 * Resend's contacts are in no book. Here they are in one default book of the team, whose id follows
 * from the team's: the calls need no setting that says which book it is. Its time of 0 makes it the
 * oldest book, so it comes first where books are read in order.
 */
export async function defaultBookId(ctx: Ctx): Promise<string> {
  const { team } = await ctx.caller()
  return derivedId("contactBook", 0, `default book of ${team.id}`)
}

export async function openDefaultBook(ctx: Ctx): Promise<string> {
  const id = await defaultBookId(ctx)
  await ensureContactBook(ctx, id, "Contacts")
  return id
}
