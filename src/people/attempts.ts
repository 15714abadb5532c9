import { lte, sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { ApiError } from "../http/errors.ts"
import { signInAttempts } from "./table.ts"

const WINDOW_MS = 15 * 60_000
/** Failures within a window: one person's slips, and an office behind one IP. */
const MAX_PER_ADDRESS = 10
const MAX_PER_IP = 100

/** Counts an attempt before the password is looked at; what is over a limit is refused. */
export async function countAttempt(work: Work, email: string, ip: string): Promise<void> {
  const now = work.now()
  const isOver = sql`${signInAttempts.since} <= ${now - WINDOW_MS}`
  const rows = await work.db
    .insert(signInAttempts)
    .values(subjectsOf(email, ip).map((subject) => ({ subject, attempts: 1, since: now })))
    .onConflictDoUpdate({
      target: signInAttempts.subject,
      set: {
        attempts: sql`iif(${isOver}, 1, ${signInAttempts.attempts} + 1)`,
        since: sql`iif(${isOver}, ${now}, ${signInAttempts.since})`,
      },
    })
    .returning()
  const over = rows.find(
    ({ subject, attempts }) =>
      attempts > (subject.startsWith("ip:") ? MAX_PER_IP : MAX_PER_ADDRESS),
  )
  if (!over) return
  throw new ApiError("rate_limited", "Too many attempts to sign in.", undefined, {
    "retry-after": String(Math.ceil((over.since + WINDOW_MS - now) / 1000)),
  })
}

/** An attempt that succeeded was none of a guesser. */
export async function takeBackAttempt(work: Work, email: string, ip: string): Promise<void> {
  await work.db
    .update(signInAttempts)
    .set({ attempts: sql`${signInAttempts.attempts} - 1` })
    .where(sql`${signInAttempts.subject} in ${subjectsOf(email, ip)}`)
}

export const forgetOldAttempts = (work: Work) =>
  work.db.delete(signInAttempts).where(lte(signInAttempts.since, work.now() - WINDOW_MS))

const subjectsOf = (email: string, ip: string) => [`email:${email}`, `ip:${ip}`]
