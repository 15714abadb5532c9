import { sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { sha256Hex } from "../lib/crypto.ts"
import { newId } from "../lib/id.ts"

export const ERASED_HOST = "@erased.invalid"

/** What stands in the place of an address that was erased, in the mail log and in suppressions. */
export const erasedForm = (address: string) => sha256Hex(address) + ERASED_HOST

/** Lists an address under its erased form alone; an entry that it has keeps its reason. */
export async function suppressErased(work: Work, teamId: string, email: string): Promise<void> {
  const erased = erasedForm(email)
  const entry = sql`team_id = ${teamId} and email = ${email}`
  await work.db.batch([
    work.db.run(
      sql`update or ignore suppressions set email = ${erased}, note = null where ${entry}`,
    ),
    work.db.run(sql`delete from suppressions where ${entry}`),
    work.db.run(sql`insert into suppressions (team_id, email, id, reason, created_at)
      values (${teamId}, ${erased}, ${newId("suppression", work.now())}, 'manual', ${work.now()})
      on conflict do nothing`),
  ])
}
