import { and, eq, inArray, lte, sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { ApiError } from "../http/errors.ts"
import { networkOf } from "../lib/network.ts"
import { DAY_MS, MINUTE_MS } from "../lib/time.ts"
import { signInAddresses, signInAttempts, users } from "./table.ts"

const WINDOW_MS = 5 * MINUTE_MS
const REMEMBERED_MS = 90 * DAY_MS

/**
 * The limits of failed attempts within a window: by address and IP for a person's own mistakes, by
 * IP for one guesser of many addresses, by address for many guessers of one.
 */
const limitsOf = (email: string, ip: string) =>
  new Map([
    [`pair:${networkOf(ip)} ${email}`, 10],
    [`ip:${networkOf(ip)}`, 100],
    [subjectOf(email), 100],
  ])

const subjectOf = (email: string) => `email:${email}`

/**
 * Counts an attempt before the password is checked, and refuses attempts over a limit. The limit by
 * address does not apply to a network from which the user has signed in before.
 */
export async function countAttempt(work: Work, email: string, ip: string): Promise<void> {
  const now = work.now()
  const limits = limitsOf(email, ip)
  const isOver = sql`${signInAttempts.since} <= ${now - WINDOW_MS}`
  const selectKnown = work.db
    .select({ network: signInAddresses.network })
    .from(signInAddresses)
    .innerJoin(users, eq(users.id, signInAddresses.userId))
    .where(and(eq(users.email, email), eq(signInAddresses.network, networkOf(ip))))
  const count = work.db
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
  const [known, rows] = await work.db.batch([selectKnown, count])
  if (known.length > 0) limits.delete(subjectOf(email))
  const over = rows.find(({ subject, attempts }) => attempts > (limits.get(subject) ?? Infinity))
  if (!over) return
  await takeBackAttempt(work, email, ip)
  throw new ApiError("rate_limited", "Too many attempts to sign in.", undefined, {
    "retry-after": String(Math.ceil((over.since + WINDOW_MS - now) / 1000)),
  })
}

/** Only failed attempts count: not successful ones, nor refused ones. */
export async function takeBackAttempt(work: Work, email: string, ip: string): Promise<void> {
  await work.db
    .update(signInAttempts)
    .set({ attempts: sql`${signInAttempts.attempts} - 1` })
    .where(inArray(signInAttempts.subject, [...limitsOf(email, ip).keys()]))
}

export async function rememberAddress(work: Work, userId: string, ip: string): Promise<void> {
  const signedInAt = work.now()
  await work.db
    .insert(signInAddresses)
    .values({ userId, network: networkOf(ip), signedInAt })
    .onConflictDoUpdate({
      target: [signInAddresses.userId, signInAddresses.network],
      set: { signedInAt },
    })
}

export const forgetOldAttempts = (work: Work) =>
  work.db.batch([
    work.db.delete(signInAttempts).where(lte(signInAttempts.since, work.now() - WINDOW_MS)),
    work.db
      .delete(signInAddresses)
      .where(lte(signInAddresses.signedInAt, work.now() - REMEMBERED_MS)),
  ])
