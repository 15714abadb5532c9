import { inArray, lte, sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { ApiError } from "../http/errors.ts"
import { signInAttempts } from "./table.ts"

const WINDOW_MS = 5 * 60_000

/**
 * Failures within a window: one person's slips, one guesser at many addresses, many guessers at
 * one. The first is counted by address and IP, so that no stranger locks the owner out.
 */
const limitsOf = (email: string, ip: string) =>
  new Map([
    [`pair:${ip} ${email}`, 10],
    [`ip:${ip}`, 100],
    [`email:${email}`, 100],
  ])

/** Counts an attempt before the password is looked at; what is over a limit is refused. */
export async function countAttempt(work: Work, email: string, ip: string): Promise<void> {
  const now = work.now()
  const limits = limitsOf(email, ip)
  const isOver = sql`${signInAttempts.since} <= ${now - WINDOW_MS}`
  const rows = await work.db
    .insert(signInAttempts)
    .values([...limits.keys()].map((subject) => ({ subject, attempts: 1, since: now })))
    .onConflictDoUpdate({
      target: signInAttempts.subject,
      set: {
        attempts: sql`iif(${isOver}, 1, ${signInAttempts.attempts} + 1)`,
        since: sql`iif(${isOver}, ${now}, ${signInAttempts.since})`,
      },
    })
    .returning()
  const over = rows.find(({ subject, attempts }) => attempts > (limits.get(subject) ?? 0))
  if (!over) return
  await takeBackAttempt(work, email, ip)
  throw new ApiError("rate_limited", "Too many attempts to sign in.", undefined, {
    "retry-after": String(Math.ceil((over.since + WINDOW_MS - now) / 1000)),
  })
}

/** An attempt that succeeded was no guess, one that was refused saw no password. */
export async function takeBackAttempt(work: Work, email: string, ip: string): Promise<void> {
  await work.db
    .update(signInAttempts)
    .set({ attempts: sql`${signInAttempts.attempts} - 1` })
    .where(inArray(signInAttempts.subject, [...limitsOf(email, ip).keys()]))
}

export const forgetOldAttempts = (work: Work) =>
  work.db.delete(signInAttempts).where(lte(signInAttempts.since, work.now() - WINDOW_MS))
