import { and, eq, gt, isNotNull, sql } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import type { Role, User } from "../../access/people/contract.ts"
import { refuseGuessable } from "../../access/people/new-password.ts"
import { hashPassword } from "../../access/people/password.ts"
import { storePassword } from "../../access/people/person.ts"
import { countCall } from "../../access/people/sign-in/attempts.ts"
import { signIn } from "../../access/people/sign-in/sign-in.ts"
import type { Visitor } from "../../access/people/sign-in/visit.ts"
import { invitations, sessions, users } from "../../access/people/table.ts"
import { readSession } from "../../access/session-guard.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch, type Query } from "../../platform/db/client.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { ApiError, conflict, invalid, notFound, orNotFound } from "../../platform/http/errors.ts"
import { TEAM_NAME, teamDatabases, teams } from "../table.ts"
import { isMailed, isOpen } from "./invitations.ts"
import { isSame, joinStatements } from "./join.ts"

type Row = typeof invitations.$inferSelect

async function findInvitation(visitor: Visitor, token: string) {
  const { work, ip, headers } = visitor
  await countCall(work, ip)
  const session = await readSession(headers, work.settings)
  const [[open], [visiting]] = await work.db.batch([
    work.db
      .select({
        invitation: invitations,
        teamName: sql<string>`${TEAM_NAME}`.as("team_name"),
        // In a batch, two columns with the same name would become one.
        userId: sql<string | null>`${users.id}`.as("user_id"),
      })
      .from(invitations)
      .leftJoin(teams, eq(teams.id, invitations.teamId))
      .leftJoin(teamDatabases, eq(teamDatabases.teamId, invitations.teamId))
      .leftJoin(users, eq(users.email, invitations.email))
      .where(and(isOpen(token, work.now()), isNotNull(TEAM_NAME))),
    work.db
      .select({ id: users.id, email: users.email, name: users.name })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(
        and(eq(sessions.token, session?.token ?? ""), gt(sessions.expiresAt, new Date(work.now()))),
      ),
  ])
  return { ...orNotFound(open, "Link"), visiting }
}

export async function readInvitation(visitor: Visitor, { token }: { token: string }) {
  const { invitation, teamName, userId, visiting } = await findInvitation(visitor, token)
  const { teamId, email, role, invitedBy, expiresAt } = invitation
  return {
    body: {
      team: { id: teamId, name: teamName },
      email,
      role,
      invitedBy,
      expiresAt,
      hasAccount: isMailed(invitation, token) ? userId !== null : null,
      signedInAs: visiting?.email ?? null,
    },
  }
}

interface Accepting {
  token: string
  name?: string | undefined
  password?: string | undefined
}

/** An invitation is for one address. Nobody else may use its link. */
export async function acceptInvitation(visitor: Visitor, { token, name, password }: Accepting) {
  const { invitation, teamName, userId, visiting } = await findInvitation(visitor, token)
  const { teamId, email, role } = invitation
  const reply = { team: { id: teamId, name: teamName }, role: role as Role }
  if (visiting) {
    if (visiting.email !== email) {
      throw new ApiError("forbidden", "This invitation is for another address.")
    }
    await join(visitor.work, invitation, visiting)
    return { body: { ...reply, user: visiting } }
  }
  if (userId !== null) throw conflict("A person with this address exists: sign in first.")
  if (name === undefined) throw invalid(["name"], "Required")
  if (password === undefined) throw invalid(["password"], "Required")
  refuseGuessable(password, email)
  const user = { id: newId("user", visitor.work.now()), email, name }
  const create = await newPerson(visitor.work, invitation, { user, password, token })
  await join(visitor.work, invitation, user, create)
  const { cookies } = await signIn(visitor.work, { email, password }, visitor.headers)
  return { body: { ...reply, user }, headers: cookies }
}

async function join(work: Work, invitation: Row, user: User, create: Query[] = []): Promise<void> {
  const { ended } = await namedBatch(work.db, {
    create,
    ...joinStatements(work, invitation, user),
  })
  if (ended.meta.changes === 0) throw notFound("Link")
}

/** Only the mailed link verifies the address, since somebody else has passed on the copied link. */
async function newPerson(
  { db, now }: Work,
  invitation: Row,
  { user, password, token }: { user: User; password: string; token: string },
): Promise<Query[]> {
  const hash = await hashPassword(password)
  return [
    db.run(
      insertInto(
        users,
        {
          id: user.id,
          name: user.name,
          email: invitations.email,
          emailVerified: Number(isMailed(invitation, token)),
          createdAt: now(),
          updatedAt: now(),
        },
        sql`from invitations where ${isSame(invitation, now())} on conflict do nothing`,
      ),
    ),
    db.run(storePassword(hash, now(), eq(users.id, user.id))),
  ]
}
