import { sql } from "drizzle-orm"
import type { User } from "../../access/people/contract.ts"
import { invitations, members, users } from "../../access/people/table.ts"
import type { Work } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { IF_CHANGED, insertEntry, userActor } from "../audit/entry.ts"

type Row = typeof invitations.$inferSelect

/** The invitation is still open, and as it was read. */
export const isSame = ({ teamId, id, mailedHash, copiedHash }: Row, now: number) =>
  sql`${invitations.teamId} = ${teamId} and ${invitations.id} = ${id}
    and ${invitations.mailedHash} = ${mailedHash}
    and ${invitations.copiedHash} = ${copiedHash} and ${invitations.expiresAt} > ${now}`

/**
 * Every statement depends on the open invitation, and the last one ends it. A batch is one
 * transaction, so an invitation is accepted once.
 */
export function joinStatements({ db, now }: Work, invitation: Row, user: User) {
  const { teamId, id, role, email } = invitation
  const same = isSame(invitation, now())
  const entry = {
    teamId,
    actor: userActor(user),
    action: "invitations.accept",
    objectId: id,
    label: `${email} (${role})`,
  }
  return {
    joined: db.run(
      insertInto(
        members,
        { userId: users.id, teamId: invitations.teamId, role: invitations.role, createdAt: now() },
        sql`from ${users} join invitations on ${same} where ${users.id} = ${user.id}
          on conflict do nothing`,
      ),
    ),
    noted: db.run(insertEntry(entry, now(), IF_CHANGED)),
    ended: db.run(sql`delete from invitations where ${same} and exists (select 1 from ${members}
      where ${members.userId} = ${user.id} and ${members.teamId} = ${invitations.teamId})`),
  }
}
