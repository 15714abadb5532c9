import { and, eq, gt } from "drizzle-orm"
import { auditStatement } from "../audit/entry.ts"
import { bind } from "../db/statement.ts"
import type { Work } from "../env.ts"
import { newId } from "../lib/id.ts"
import { invitations } from "./table.ts"

interface NewUser {
  id: string
  email: string
  name: string
  emailVerified: boolean
}

/**
 * The library creates a person only after a sign-in through a provider. It may do so for a verified
 * address that holds an invitation; the person then joins the teams that invited the address.
 */
export const invitedOnly = (work: Work) => ({
  create: {
    async before(user: Omit<NewUser, "id">) {
      const isInvited = user.emailVerified && (await findInvitations(work, user.email)).length > 0
      return isInvited ? { data: { ...user, id: newId("user"), image: null } } : false
    },
    async after(user: NewUser) {
      const held = await findInvitations(work, user.email)
      const now = work.now()
      const actor = { type: "user" as const, id: user.id, name: user.name }
      const statements = held.flatMap(({ teamId, id, role }) => [
        {
          sql: `insert into members (user_id, team_id, role, created_at)
            select ?, team_id, role, ? from invitations where team_id = ? and id = ?
            on conflict do nothing`,
          values: [user.id, now, teamId, id],
        },
        auditStatement(
          { teamId, actor, action: "invitations.accept", objectId: id, label: role },
          now,
        ),
        { sql: "delete from invitations where team_id = ? and id = ?", values: [teamId, id] },
      ])
      if (statements.length > 0) {
        await work.env.DB.batch(statements.map((statement) => bind(work.env.DB, statement)))
      }
    },
  },
})

const findInvitations = (work: Work, email: string) =>
  work.db
    .select()
    .from(invitations)
    .where(and(eq(invitations.email, email), gt(invitations.expiresAt, work.now())))
