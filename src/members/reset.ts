import { and, eq, gt } from "drizzle-orm"
import { bind, type Statement } from "../db/statement.ts"
import type { Work } from "../env.ts"
import { notFound } from "../http/errors.ts"
import { randomBase64url, sha256Hex } from "../lib/crypto.ts"
import { newId } from "../lib/id.ts"
import { logError } from "../lib/log.ts"
import { HOUR_MS } from "../lib/time.ts"
import { countCall } from "../people/attempts.ts"
import { hashPassword } from "../people/password.ts"
import { members, passwordResets, users } from "../people/table.ts"
import type { Visitor } from "../people/visit.ts"
import { senderOf, sendSystemMail } from "./system-mail.ts"

const VALID_MS = HOUR_MS
const CALLS_OF_AN_IP = 100
/** A person asks again when the mail is slow; nobody's inbox may be filled. */
const RESETS_OF_AN_ADDRESS = 3

/** The work follows the reply: neither its words nor its time say whether somebody was found. */
export async function requestPasswordReset({ work, ip }: Visitor, { email }: { email: string }) {
  const limits = { ofIp: CALLS_OF_AN_IP, [`reset:${email}`]: RESETS_OF_AN_ADDRESS }
  await countCall(work, ip, limits)
  work.defer(mailReset(work, email))
  return { body: { sent: true as const } }
}

async function mailReset(work: Work, email: string): Promise<void> {
  const places = await work.db
    .select({ userId: users.id, teamId: members.teamId })
    .from(users)
    .leftJoin(members, eq(members.userId, users.id))
    .where(eq(users.email, email))
  const [first] = places
  if (!first) return
  const teamIds = places.flatMap(({ teamId }) => teamId ?? [])
  const from = await senderOf(work, teamIds)
  if (!from) {
    const missing = "No sender for a reset of a password: set SYSTEM_FROM or verify a domain"
    return logError(new Error(missing), { userId: first.userId })
  }
  const token = randomBase64url(32)
  await work.db.batch([
    work.db.delete(passwordResets).where(eq(passwordResets.userId, first.userId)),
    work.db.insert(passwordResets).values({
      tokenHash: sha256Hex(token),
      userId: first.userId,
      expiresAt: work.now() + VALID_MS,
    }),
  ])
  await sendSystemMail(work, from, {
    to: email,
    subject: "Set a new password",
    before: ["Somebody, probably you, asked for a new password. This link sets one:"],
    // A browser sends no fragment, so no log and no other site sees the token.
    link: `${work.settings.BASE_URL}/dashboard/reset-password#token=${token}`,
    after: [
      "It works once, for an hour. If it was not you, nothing has changed and nothing is to be done.",
    ],
  })
}

/**
 * The token is used in the batch that sets the password, so it works once. Whoever reads the mail
 * of the address owns it: other ways in, which may be a stranger's, end if it was never verified.
 */
export async function resetPassword(
  { work, ip }: Visitor,
  { token, password }: { token: string; password: string },
) {
  await countCall(work, ip, { ofIp: CALLS_OF_AN_IP })
  const tokenHash = sha256Hex(token)
  const [known] = await work.db
    .select({ userId: passwordResets.userId })
    .from(passwordResets)
    .where(and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.expiresAt, work.now())))
  if (!known) throw notFound("Link")
  const statements = resetStatements(tokenHash, await hashPassword(password), work.now())
  const results = await work.env.DB.batch(
    statements.map((statement) => bind(work.env.DB, statement)),
  )
  if (results.at(-1)?.meta.changes === 0) throw notFound("Link")
  return { body: undefined }
}

function resetStatements(tokenHash: string, hash: string, now: number): Statement[] {
  const owner = "select user_id from password_resets where token_hash = ? and expires_at > ?"
  const values = [tokenHash, now]
  const unverified = `select id from users where id in (${owner}) and email_verified = 0`
  return [
    { sql: `delete from passkeys where user_id in (${unverified})`, values },
    {
      sql: `delete from accounts where user_id in (${unverified}) and provider_id <> 'credential'`,
      values,
    },
    {
      sql: `insert into accounts (user_id, provider_id, id, account_id, password, created_at, updated_at)
        select user_id, 'credential', user_id, user_id, ?, ?, ? from (${owner}) where true
        on conflict do update set password = excluded.password, updated_at = excluded.updated_at`,
      values: [hash, now, now, ...values],
    },
    { sql: `update users set email_verified = 1 where id in (${owner})`, values },
    { sql: `delete from sessions where user_id in (${owner})`, values },
    {
      sql: `insert into audit_log (team_id, id, at, actor_type, actor_id, actor_name, action, object_id, label)
        select m.team_id, ? , ?, 'user', u.id, u.name, 'profile.resetPassword', u.id, null
        from members m join users u on u.id = m.user_id where u.id in (${owner})`,
      values: [newId("auditEntry", now), now, ...values],
    },
    { sql: `delete from password_resets where user_id in (${owner})`, values },
  ]
}
