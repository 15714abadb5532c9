import { and, eq } from "drizzle-orm"
import type { Ctx, Work } from "../env.ts"
import { suppressErased } from "../suppressions/erased.ts"
import { eraseContacts } from "./contacts.ts"
import { eraseDeadLetters } from "./dead-letters.ts"
import { eraseEmails } from "./emails.ts"
import { erasures } from "./table.ts"

const ERASURES_A_SWEEP = 10

interface Erased {
  contacts: number
  emails: number
}

/** Asked first, so that the sweep ends what breaks off here. */
export async function eraseAddress(ctx: Ctx, email: string): Promise<Erased> {
  const { team } = await ctx.caller()
  await ctx.db
    .insert(erasures)
    .values({ teamId: team.id, email, requestedAt: ctx.now() })
    .onConflictDoNothing()
  return erase(ctx, team.id, email)
}

/** What was asked on the command line, what broke off, and what waited for a provider. */
export async function sweepErasures(work: Work): Promise<void> {
  const asked = await work.db.select().from(erasures).limit(ERASURES_A_SWEEP)
  for (const { teamId, email } of asked) await erase(work, teamId, email)
}

/** Suppressed first: no email to the address is accepted while those in the log are rewritten. */
async function erase(work: Work, teamId: string, email: string): Promise<Erased> {
  await suppressErased(work, teamId, email)
  const contacts = await eraseContacts(work, teamId, email)
  const { emails, unfinished } = await eraseEmails(work, teamId, email)
  await eraseDeadLetters(work, teamId, email)
  if (!unfinished) {
    const isThis = and(eq(erasures.teamId, teamId), eq(erasures.email, email))
    await work.db.delete(erasures).where(isThis)
  }
  return { contacts, emails }
}
