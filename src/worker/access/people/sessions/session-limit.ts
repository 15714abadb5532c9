import { and, desc, eq, notInArray } from "drizzle-orm"
import { DAY_MS, HOUR_MS } from "../../../../lib/time.ts"
import type { Work } from "../../../platform/context.ts"
import type { SECOND_FACTORS } from "../contract.ts"
import { sessions } from "../table.ts"

const MOST_SESSIONS = 50

/** The new end of a session that is used now: some hours later, but not later than its last day. */
export const sessionEnd = ({ settings, now }: Pick<Work, "settings" | "now">, startedAt: number) =>
  new Date(
    Math.min(
      startedAt + settings.SESSION_DAYS * DAY_MS,
      now() + settings.SESSION_IDLE_HOURS * HOUR_MS,
    ),
  )

interface NewSession {
  createdAt: Date
  secondFactor?: string | null
}

/** A new session ends those of its person that have not been used for the longest time. */
export const limitSessions = (work: Work) => ({
  create: {
    async before(session: NewSession, call: { path?: string } | null) {
      const expiresAt = sessionEnd(work, session.createdAt.getTime())
      // A session that replaces another one begins with its values. A passkey outlasts the app.
      const proven = session.secondFactor !== "passkey" && secondFactorOf(call?.path)
      return { data: { ...session, expiresAt, ...proven } }
    },
    async after({ userId }: { userId: string }) {
      const isOwn = eq(sessions.userId, userId)
      const kept = work.db
        .select({ token: sessions.token })
        .from(sessions)
        .where(isOwn)
        .orderBy(desc(sessions.updatedAt), desc(sessions.createdAt))
        .limit(MOST_SESSIONS)
      await work.db.delete(sessions).where(and(isOwn, notInArray(sessions.token, kept)))
    },
  },
})

const BY_PATH: Record<string, (typeof SECOND_FACTORS)[number]> = {
  "/passkey/verify-authentication": "passkey",
  "/two-factor/verify-totp": "code",
  "/two-factor/verify-backup-code": "code",
}

/** The second factor of a new session, by the call of the sign-in library that makes it. */
function secondFactorOf(path = "") {
  const secondFactor = BY_PATH[path]
  return secondFactor && { secondFactor }
}
