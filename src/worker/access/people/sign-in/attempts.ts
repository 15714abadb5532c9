import { and, eq, inArray, lte, notLike, or, sql } from "drizzle-orm"
import { sha256Hex } from "../../../../lib/crypto.ts"
import { networkOf } from "../../../../lib/network.ts"
import { DAY_MS, MINUTE_MS } from "../../../../lib/time.ts"
import type { Work } from "../../../platform/context.ts"
import { retryLater } from "../../../platform/http/errors.ts"
import { passwordResets, signInAddresses, signInAttempts, users, verifications } from "../table.ts"

const WINDOW_MS = 5 * MINUTE_MS
const CALLS_OF_AN_IP = 100
const REMEMBERED_MS = 90 * DAY_MS

/**
 * The limits of failed attempts within a window. By address and IP: a person's own mistakes. By IP:
 * one attacker who tries many addresses. By address: many attackers of one address.
 */
const limitsOf = (email: string, ip: string) =>
  new Map([
    [`pair:${networkOf(ip)} ${email}`, 10],
    [`ip:${networkOf(ip)}`, 100],
    [subjectOf(email), 100],
  ])

const subjectOf = (email: string) => `email:${email}`

/** Counts a step that checks a password or a code, and takes it back after a success. */
export async function asAttempt<T>(
  work: Work,
  email: string,
  ip: string,
  step: () => Promise<T>,
): Promise<T> {
  await countAttempt(work, email, ip)
  const result = await step()
  await takeBackAttempt(work, email, ip)
  return result
}

/**
 * Counts an attempt before the password is checked, and refuses attempts over a limit. The limit by
 * address does not apply to a network from which the user has signed in before.
 */
export async function countAttempt(work: Work, email: string, ip: string): Promise<void> {
  const limits = limitsOf(email, ip)
  const selectKnown = work.db
    .select({ network: signInAddresses.network })
    .from(signInAddresses)
    .innerJoin(users, eq(users.id, signInAddresses.userId))
    .where(and(eq(users.email, email), eq(signInAddresses.network, networkOf(ip))))
  const [known, rows] = await work.db.batch([selectKnown, count(work, [...limits.keys()])])
  if (known.length > 0) limits.delete(subjectOf(email))
  const over = rows.find(({ subject, attempts }) => attempts > (limits.get(subject) ?? Infinity))
  if (!over) return
  await takeBackAttempt(work, email, ip)
  throw tooMany(work, over)
}

function count(work: Work, subjects: readonly string[], windowMs = WINDOW_MS) {
  const now = work.now()
  const isOver = sql`${signInAttempts.since} <= ${now - windowMs}`
  return work.db
    .insert(signInAttempts)
    .values(subjects.map((subject) => ({ subject, attempts: 1, since: now })))
    .onConflictDoUpdate({
      target: signInAttempts.subject,
      set: {
        attempts: sql`iif(${isOver}, 1, ${signInAttempts.attempts} + 1)`,
        since: sql`iif(${isOver}, ${now}, ${signInAttempts.since})`,
      },
    })
    .returning()
}

const tooMany = (work: Work, { since }: { since: number }) =>
  retryLater(
    "rate_limited",
    "Too many attempts to sign in.",
    Math.ceil((since + WINDOW_MS - work.now()) / 1000),
  )

/**
 * Counts a call without a session. Unlike sign-in, every call counts. There is an IP address only
 * behind Cloudflare's edge.
 */
export async function countCall(
  work: Work,
  ip: string,
  ofIp = CALLS_OF_AN_IP,
  others: Record<string, number> = {},
): Promise<void> {
  const limits = new Map(Object.entries(others))
  if (ip) limits.set(`calls:${networkOf(ip)}`, ofIp)
  if (limits.size === 0) return
  const rows = await count(work, [...limits.keys()])
  const over = rows.find(({ subject, attempts }) => attempts > (limits.get(subject) ?? Infinity))
  if (over) throw tooMany(work, over)
}

/** Whether nobody has used this within the last minutes. */
export async function isFirstUse(work: Work, subject: string): Promise<boolean> {
  const [row] = await count(work, [`use:${subject}`])
  return row?.attempts === 1
}

const DAILY = "day:"

/**
 * Counts a mail, by default within a day, and answers the subjects that are over their limits. Subjects are
 * hashed, since their rows stay for a day.
 */
export async function countMails(
  work: Work,
  limits: Record<string, number>,
  windowMs = DAY_MS,
): Promise<string[]> {
  const subjects = new Map(Object.keys(limits).map((one) => [DAILY + sha256Hex(one), one]))
  const rows = await count(work, [...subjects.keys()], windowMs)
  return rows
    .map(({ subject, attempts }) => ({ subject: subjects.get(subject) ?? "", attempts }))
    .filter(({ subject, attempts }) => attempts > (limits[subject] ?? Infinity))
    .map(({ subject }) => subject)
}

/** After a success: only failed attempts count. */
async function takeBackAttempt(work: Work, email: string, ip: string): Promise<void> {
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
    work.db
      .delete(signInAttempts)
      .where(
        and(
          lte(signInAttempts.since, work.now() - WINDOW_MS),
          or(
            notLike(signInAttempts.subject, `${DAILY}%`),
            lte(signInAttempts.since, work.now() - DAY_MS),
          ),
        ),
      ),
    work.db
      .delete(signInAddresses)
      .where(lte(signInAddresses.signedInAt, work.now() - REMEMBERED_MS)),
    work.db.delete(verifications).where(lte(verifications.expiresAt, new Date(work.now()))),
    work.db.delete(passwordResets).where(lte(passwordResets.expiresAt, work.now())),
  ])
