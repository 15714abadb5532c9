import { untilWon } from "../../../lib/until-won.ts"
import { assertMaySendAs } from "../../access/may-send-from.ts"
import type { Ctx } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { conflict } from "../../platform/http/errors.ts"
import { selectKnown } from "../../topics/known.ts"
import { bookOrNotFound, selectBook } from "../books.ts"
import { refuseUnknown } from "../consents/choices.ts"
import { createContactIf } from "../create.ts"
import type { Contact } from "../shapes.ts"
import { keepConfirmation } from "./ask.ts"

type NewContact = Parameters<typeof createContactIf>[2]

/** Makes a contact that is not subscribed before the person confirms by the link of a mail. */
export async function createPending(
  ctx: Ctx,
  bookId: string,
  { topics, ...input }: NewContact,
): Promise<Contact> {
  const ids = Object.keys(topics)
  const { books, known } = await namedBatch(ctx, {
    books: selectBook(ctx, bookId),
    known: selectKnown(ctx, ctx.team, ids),
  })
  const { defaultFrom } = bookOrNotFound(books[0])
  refuseWithoutSender(defaultFrom)
  refuseUnknown(ids, known)
  await assertMaySendAs(ctx, defaultFrom)
  const declined = Object.fromEntries(Object.entries(topics).filter(([, choice]) => !choice))
  return untilWon(() =>
    createContactIf(
      ctx,
      bookId,
      { ...input, subscribed: false, topics: declined },
      {
        isPending: true,
        alongside: (contact, condition) => [
          keepConfirmation(
            ctx,
            {
              contact,
              at: contact.createdAt,
              topicIds: ids.filter((id) => topics[id]),
              byMail: true,
            },
            condition,
          ),
        ],
      },
    ),
  )
}

/** Nobody can be asked without a sender. */
export function refuseWithoutSender(defaultFrom: string | null): void {
  if (defaultFrom === null) {
    throw conflict("The contact book has no 'defaultFrom', and mail that asks needs a sender.")
  }
}
