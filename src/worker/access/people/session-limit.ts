import { and, desc, eq, notInArray } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { sessions } from "./table.ts"

export const MOST_SESSIONS = 50

/** A new session ends those of its person that have not been used for the longest time. */
export const endOldSessions = ({ db }: Pick<Work, "db">) => ({
  create: {
    async after({ userId }: { userId: string }) {
      const isOwn = eq(sessions.userId, userId)
      const kept = db
        .select({ token: sessions.token })
        .from(sessions)
        .where(isOwn)
        .orderBy(desc(sessions.updatedAt), desc(sessions.createdAt))
        .limit(MOST_SESSIONS)
      await db.delete(sessions).where(and(isOwn, notInArray(sessions.token, kept)))
    },
  },
})
