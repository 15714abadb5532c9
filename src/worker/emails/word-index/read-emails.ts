import { type SQL, sql } from "drizzle-orm"
import type { WordedEmail } from "./words-of-email.ts"

/** A thousand emails may have 17 million, and a Worker has little memory. Most have a few hundred. */
const MAX_READ_CHARACTERS = 2_000_000

export interface ReadEmail {
  id: string
  /** JSON. */
  recipients: string
  subject: string
  /** Of this email and of all before it. */
  characters: number
}

/** The first of these emails in this order, up to the limit. The very first counts whatever its size. */
export const upToCharacters = (found: SQL, order: SQL, most: SQL) => sql`
  select id, recipients, subject, characters from (
    select *, length(recipients) + length(subject) as own,
      sum(length(recipients) + length(subject)) over (order by ${order} rows unbounded preceding)
        as characters
    from (${found} order by ${order} limit +${most}))
  where characters - own < ${sql.raw(String(MAX_READ_CHARACTERS))} order by ${order}`

/** Whether more emails may follow. */
export const isCutShort = (found: readonly ReadEmail[]) =>
  (found.at(-1)?.characters ?? 0) >= MAX_READ_CHARACTERS

export const parsed = ({ id, subject, recipients }: ReadEmail): WordedEmail & { id: string } => ({
  id,
  subject,
  recipients: JSON.parse(recipients),
})
