import { and, eq, gt, inArray, ne, sql } from "drizzle-orm"
import { randomBase64url, sha256Hex } from "../../../lib/crypto.ts"
import { newId } from "../../../lib/id.ts"
import { logError } from "../../../lib/log.ts"
import { HOUR_MS } from "../../../lib/time.ts"
import { thenMailChange } from "../../access/people/credential-mail.ts"
import { refuseGuessable } from "../../access/people/new-password.ts"
import { hashPassword } from "../../access/people/password.ts"
import { storePassword } from "../../access/people/person.ts"
import { countCall, countMails } from "../../access/people/sign-in/attempts.ts"
import type { Visitor } from "../../access/people/sign-in/visit.ts"
import {
  accounts,
  members,
  passkeys,
  passwordResets,
  secondFactors,
  sessions,
  users,
} from "../../access/people/table.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { notFound } from "../../platform/http/errors.ts"
import { auditLog } from "../audit/table.ts"
import { senderOf } from "../notices/sender.ts"
import { sendSystemMail } from "../notices/system-mail.ts"

const VALID_MS = 2 * HOUR_MS
/**
 * A person may ask again if the mail is slow, but nobody may flood an inbox. The limit locks nobody
 * out: the links of the hour's earlier mails still work.
 */
const RESETS_AN_HOUR = 3

/** The work is done after the reply, so that the reply does not tell whether the person exists. */
export async function requestPasswordReset({ work, ip }: Visitor, { email }: { email: string }) {
  await countCall(work, ip)
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
  const over = await countMails(work, { [`reset ${email}`]: RESETS_AN_HOUR }, HOUR_MS)
  if (over.length > 0) return
  const teamIds = places.flatMap(({ teamId }) => teamId ?? [])
  const from = await senderOf(work, teamIds)
  if (!from) {
    const missing = "No sender for a reset of a password: set SYSTEM_FROM or verify a domain"
    return logError(new Error(missing), { userId: first.userId })
  }
  const token = randomBase64url(32)
  await work.db.insert(passwordResets).values({
    tokenHash: sha256Hex(token),
    userId: first.userId,
    expiresAt: work.now() + VALID_MS,
  })
  await sendSystemMail(work, from, {
    to: email,
    subject: "Set a new password",
    before: ["Somebody, probably you, asked for a new password. This link sets one:"],
    // Browsers do not send the fragment, so the token gets into no log.
    link: `${work.settings.BASE_URL}/dashboard/reset-password#token=${token}`,
    after: [
      "It works once, for two hours. It also ends all sessions and removes all passkeys. If it was not you, nothing has changed and nothing is to be done.",
    ],
  })
}

/**
 * The batch that sets the password also uses up the person's tokens. Passkeys are deleted: a thief may
 * have added them. An authenticator app stays: whoever reads the mail must not get around it. If the
 * address was never verified, a stranger may have made the account, so its name, app and other ways to
 * sign in go, too.
 */
export async function resetPassword(
  { work, ip }: Visitor,
  { token, password }: { token: string; password: string },
) {
  await countCall(work, ip)
  const tokenHash = sha256Hex(token)
  const [known] = await work.db
    .select({ email: users.email })
    .from(passwordResets)
    .innerJoin(users, eq(users.id, passwordResets.userId))
    .where(and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.expiresAt, work.now())))
  if (!known) throw notFound("Link")
  refuseGuessable(password, known.email)
  const hash = await hashPassword(password)
  const { used } = await namedBatch(work.db, resetStatements(work, tokenHash, hash))
  if (used.meta.changes === 0) throw notFound("Link")
  thenMailChange(work, known.email, "Your password was set anew.")
  return { body: undefined }
}

function resetStatements({ db, now }: Work, tokenHash: string, hash: string) {
  const isToken = and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.expiresAt, now()))
  const owner = db.select({ id: passwordResets.userId }).from(passwordResets).where(isToken)
  const unverified = db
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, owner), eq(users.emailVerified, false)))
  return {
    passkeys: db.delete(passkeys).where(inArray(passkeys.userId, owner)),
    accounts: db
      .delete(accounts)
      .where(and(inArray(accounts.userId, unverified), ne(accounts.providerId, "credential"))),
    secondFactors: db.delete(secondFactors).where(inArray(secondFactors.userId, unverified)),
    password: db.run(storePassword(hash, now(), inArray(users.id, owner))),
    renamed: db
      .update(users)
      .set({
        name: sql`substr(${users.email}, 1, instr(${users.email}, '@') - 1)`,
        twoFactorEnabled: false,
      })
      .where(inArray(users.id, unverified)),
    verified: db.update(users).set({ emailVerified: true }).where(inArray(users.id, owner)),
    sessions: db.delete(sessions).where(inArray(sessions.userId, owner)),
    noted: db.run(
      insertInto(
        auditLog,
        {
          teamId: members.teamId,
          id: newId("auditEntry", now()),
          at: now(),
          actorType: "user",
          actorId: users.id,
          actorName: users.name,
          action: "profile.resetPassword",
          objectId: users.id,
        },
        sql`from ${members} join ${users} on ${users.id} = ${members.userId}
          where ${inArray(users.id, owner)}`,
      ),
    ),
    used: db.run(sql`delete from ${passwordResets} where ${inArray(passwordResets.userId, owner)}`),
  }
}
