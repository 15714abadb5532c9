import { DEFAULT_BOOK } from "../../../lib/default-book.ts"
import { derivedId } from "../../../lib/id.ts"
import { ensureContactBook, findContactBook } from "../../contacts/books.ts"
import type { Ctx } from "../../platform/context.ts"

/** A new book's id is derived from the team's id, so parallel calls create one book. */
export async function defaultBookId(ctx: Ctx): Promise<string> {
  const { team } = await ctx.caller()
  const own = derivedId("contactBook", 0, `default book of ${team.id}`)
  return (await findContactBook(ctx, own, DEFAULT_BOOK))?.id ?? own
}

export async function findOrCreateDefaultBook(ctx: Ctx): Promise<string> {
  const id = await defaultBookId(ctx)
  await ensureContactBook(ctx, id, DEFAULT_BOOK)
  return id
}
