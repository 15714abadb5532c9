import { and, eq, isNotNull, isNull } from "drizzle-orm"
import { mapLimit } from "../../../lib/chunk.ts"
import type { Work } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { emailContents, emails } from "../table.ts"
import { byPack, eraseMembers } from "./pack.ts"

const PACKS_A_ROUND = 20
/** A pack has 4 MB. */
const PACKS_AT_ONCE = 4

/**
 * Erases the contents of emails in their rows, then in their packs. Without its row, a content cannot
 * be moved to a pack any more. Answers the emails whose packs are left for another round.
 */
export async function eraseSmallContents(
  work: Work,
  teamId: string,
  emailIds: readonly string[],
): Promise<Set<string>> {
  const { id, pack, packOffset, packLength } = emails
  const [, places] = await work.db.batch([
    work.db
      .delete(emailContents)
      .where(
        and(
          eq(emailContents.teamId, teamId),
          isOneOf(emailContents.emailId, emailIds),
          isNull(emailContents.objectKey),
        ),
      ),
    work.db
      .select({ teamId: emails.teamId, id, pack, packOffset, packLength })
      .from(emails)
      .where(and(eq(emails.teamId, teamId), isOneOf(id, emailIds), isNotNull(pack))),
  ])
  const packs = byPack(places)
  await mapLimit(packs.slice(0, PACKS_A_ROUND), PACKS_AT_ONCE, (members) =>
    eraseMembers(work.env, members),
  )
  return new Set(packs.slice(PACKS_A_ROUND).flatMap((members) => members.map(({ id }) => id)))
}
