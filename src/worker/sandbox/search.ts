import { and, desc, eq, inArray, or, sql } from "drizzle-orm"
import { normalizePart } from "../../lib/address.ts"
import { emailRecipients, emails } from "../emails/table.ts"
import { subjectWords } from "../emails/word-index/subject-words.ts"
import { wordsOf } from "../emails/word-index/words.ts"
import type { Ctx } from "../platform/context.ts"
import { isBelow } from "../platform/http/list.ts"
import { SCAN_LIMIT, selectEndOfScan } from "../platform/http/scan.ts"
import { sandboxMessages } from "../providers/sandbox/table.ts"

interface Search {
  q?: string | undefined
  to?: string | undefined
  limit: number
}

/**
 * A condition: the messages of a page. A search finds those with these words, or to an address that
 * starts so, and `end` selects how far it has looked.
 */
export function shownMessages(ctx: Ctx, { q, to, limit }: Search, below: string | undefined) {
  const isListed = and(
    eq(sandboxMessages.teamId, ctx.team),
    isBelow(sandboxMessages.emailId, below),
    isTo(ctx, to),
  )
  if (q === undefined) return { isShown: isListed, end: undefined }
  const walk = (size: number) =>
    ctx.db
      .select({
        id: sql<string>`${sandboxMessages.emailId}`.as("id"),
        recipients: sandboxMessages.recipients,
        words: sql<string>`coalesce(${sandboxMessages.words}, ${subjectWords})`.as("found_in"),
      })
      .from(sandboxMessages)
      .leftJoin(
        emails,
        and(eq(emails.teamId, sandboxMessages.teamId), eq(emails.id, sandboxMessages.emailId)),
      )
      .where(isListed)
      .orderBy(desc(sandboxMessages.emailId))
      .limit(size)
  const scanned = walk(SCAN_LIMIT).as("scanned")
  const words = [...new Set(wordsOf(q))].map(
    (word) => sql`instr(${scanned.words}, ${` ${word}`}) > 0`,
  )
  const start = normalizePart(q.trim())
  const isRecipient = sql`exists (select 1 from json_each(${scanned.recipients})
    where substr(value, 1, ${start.length}) = ${start})`
  const found = ctx.db
    .select({ id: scanned.id })
    .from(scanned)
    .where(or(and(...words), isRecipient))
    .limit(limit + 1)
  return {
    isShown: and(eq(sandboxMessages.teamId, ctx.team), inArray(sandboxMessages.emailId, found)),
    end: selectEndOfScan(ctx.db, walk(SCAN_LIMIT + 1), found, limit),
  }
}

const isTo = (ctx: Ctx, address: string | undefined) =>
  address === undefined
    ? undefined
    : and(
        inArray(
          sandboxMessages.emailId,
          ctx.db
            .select({ id: emailRecipients.emailId })
            .from(emailRecipients)
            .where(and(eq(emailRecipients.teamId, ctx.team), eq(emailRecipients.address, address))),
        ),
        // A suppressed recipient of the email does not get the message.
        sql`${address} in (select value from json_each(${sandboxMessages.recipients}))`,
      )
