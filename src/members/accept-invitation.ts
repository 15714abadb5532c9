import { and, eq, gt, sql } from "drizzle-orm"
import { openNote } from "../audit/entry.ts"
import { bind, type Statement } from "../db/statement.ts"
import type { Work } from "../env.ts"
import { ApiError, conflict, found, invalid, notFound } from "../http/errors.ts"
import { newId } from "../lib/id.ts"
import { countCall } from "../people/attempts.ts"
import type { Role, User } from "../people/contract.ts"
import { readSession } from "../people/guard.ts"
import { hashPassword } from "../people/password.ts"
import { signIn } from "../people/sign-in.ts"
import { invitations, sessions, users } from "../people/table.ts"
import type { Visitor } from "../people/visit.ts"
import { teams } from "../teams/table.ts"
import { isMailed, isOpen } from "./invitations.ts"

const CALLS_OF_AN_IP = 100

type Row = typeof invitations.$inferSelect

async function findInvitation(visitor: Visitor, token: string) {
  const { work, ip, headers } = visitor
  await countCall(work, ip, { ofIp: CALLS_OF_AN_IP })
  const session = await readSession(headers, work.settings)
  const [[open], [visiting]] = await work.db.batch([
    work.db
      .select({
        invitation: invitations,
        teamName: teams.name,
        // In a batch, two columns with the same name would become one.
        userId: sql<string | null>`${users.id}`.as("user_id"),
      })
      .from(invitations)
      .innerJoin(teams, eq(teams.id, invitations.teamId))
      .leftJoin(users, eq(users.email, invitations.email))
      .where(isOpen(token, work.now())),
    work.db
      .select({ id: users.id, email: users.email, name: users.name })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(
        and(eq(sessions.token, session?.token ?? ""), gt(sessions.expiresAt, new Date(work.now()))),
      ),
  ])
  return { ...found(open, "Link"), visiting }
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
      hasAccount: userId !== null,
      signedInAs: visiting?.email ?? null,
    },
  }
}

interface Accepting {
  token: string
  name?: string | undefined
  password?: string | undefined
}

/** An invitation is for one address: nobody else may use its link, signed in or not. */
export async function acceptInvitation(visitor: Visitor, { token, name, password }: Accepting) {
  const { invitation, teamName, userId, visiting } = await findInvitation(visitor, token)
  const { teamId, email, role } = invitation
  const reply = { team: { id: teamId, name: teamName }, role: role as Role }
  if (visiting) {
    if (visiting.email !== email) {
      throw new ApiError("forbidden", "This invitation is for another address.")
    }
    await join(visitor.work, invitation, { user: visiting, create: [] })
    return { body: { ...reply, user: visiting } }
  }
  if (userId !== null) throw conflict("A person with this address exists: sign in first.")
  if (name === undefined) throw invalid(["name"], "Required")
  if (password === undefined) throw invalid(["password"], "Required")
  const user = { id: newId("user", visitor.work.now()), email, name }
  const create = await newPerson(visitor.work, invitation, { user, password, token })
  await join(visitor.work, invitation, { user, create })
  const { cookies } = await signIn(visitor.work, { email, password }, visitor.headers)
  return { body: { ...reply, user }, headers: cookies }
}

/**
 * Every statement depends on the open invitation, and the last one ends it. A batch is one
 * transaction, so an invitation is accepted once.
 */
async function join(
  work: Work,
  { teamId, id, role, email, mailedHash, copiedHash }: Row,
  { user, create }: { user: User; create: Statement[] },
): Promise<void> {
  const now = work.now()
  const isSame = `from invitations i where i.team_id = ? and i.id = ? and i.mailed_hash = ?
    and i.copied_hash = ? and i.expires_at > ?`
  const same = [teamId, id, mailedHash, copiedHash, now]
  const note = openNote(work.env.DB, now)
  const results = await work.env.DB.batch([
    ...create.map((statement) => bind(work.env.DB, statement)),
    bind(work.env.DB, {
      sql: `insert into members (user_id, team_id, role, created_at)
        select u.id, i.team_id, i.role, ? from users u join (select * ${isSame}) i
        where u.id = ? on conflict do nothing`,
      values: [now, ...same, user.id],
    }),
    note({
      teamId,
      actor: { type: "user", id: user.id, name: user.name },
      action: "invitations.accept",
      objectId: id,
      label: `${email} (${role})`,
    }),
    bind(work.env.DB, {
      sql: `delete from invitations as i where exists (select 1 from members m
        where m.user_id = ? and m.team_id = i.team_id) and i.team_id = ? and i.id = ?
        and i.mailed_hash = ? and i.copied_hash = ? and i.expires_at > ?`,
      values: [user.id, ...same],
    }),
  ])
  if (results.at(-1)?.meta.changes === 0) throw notFound("Link")
}

/** The copied link went through other hands, so it does not verify the address. */
async function newPerson(
  work: Work,
  invitation: Row,
  { user, password, token }: { user: User; password: string; token: string },
): Promise<Statement[]> {
  const now = work.now()
  const { teamId, id, mailedHash, copiedHash } = invitation
  return [
    {
      sql: `insert into users (id, name, email, email_verified, created_at, updated_at)
        select ?, ?, i.email, ?, ?, ? from invitations i where i.team_id = ? and i.id = ?
          and i.mailed_hash = ? and i.copied_hash = ? and i.expires_at > ?
        on conflict do nothing`,
      values: [
        user.id,
        user.name,
        Number(isMailed(invitation, token)),
        now,
        now,
        teamId,
        id,
        mailedHash,
        copiedHash,
        now,
      ],
    },
    {
      sql: `insert into accounts (user_id, provider_id, id, account_id, password, created_at, updated_at)
        select id, 'credential', id, id, ?, ?, ? from users where id = ?`,
      values: [await hashPassword(password), now, now, user.id],
    },
  ]
}
