import { and, eq, gt, inArray, lte, not, or, sql } from "drizzle-orm"
import { randomBase64url, sha256Hex } from "../../../lib/crypto.ts"
import { newId } from "../../../lib/id.ts"
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../lib/time.ts"
import type { Role } from "../../access/people/contract.ts"
import { sessionOf } from "../../access/people/sessions/session.ts"
import { countMails } from "../../access/people/sign-in/attempts.ts"
import { invitations, members, users } from "../../access/people/table.ts"
import type { Ctx, Work } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { commit } from "../../platform/db/commit.ts"
import { ApiError, conflict, orNotFound, retryLater } from "../../platform/http/errors.ts"
import { listRecords } from "../../platform/http/list.ts"
import type { Page, PageQuery } from "../../platform/http/page.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { suppressions } from "../../suppressions/table.ts"
import { auditEntry } from "../audit/entry.ts"
import { senderOf } from "../notices/sender.ts"
import { sendSystemMail } from "../notices/system-mail.ts"
import type { Invitation, InvitationWithLink } from "./invitations-contract.ts"

const VALID_MS = 7 * DAY_MS
/** The team sees an invitation that has expired, and may send it again. */
const KEPT_MS = 23 * DAY_MS
const MAX_PENDING = 100
const MAILS_A_DAY = { address: 3, team: 50, person: 50 }

type Row = typeof invitations.$inferSelect

/** Two tokens, since only the mailed link also verifies the address. */
const newTokens = () => ({ mailed: randomBase64url(32), copied: randomBase64url(32) })
type Tokens = ReturnType<typeof newTokens>

const hashesOf = ({ mailed, copied }: Tokens) => ({
  mailedHash: sha256Hex(mailed),
  copiedHash: sha256Hex(copied),
})

export const onlyOwners = () => new ApiError("forbidden", "Only an owner may do this.")

function refuseAboveOwn(own: Role, role: Role): void {
  if (role === "owner" && own !== "owner") throw onlyOwners()
}

export async function createInvitation(
  ctx: Ctx,
  { email, role }: { email: string; role: Role },
): Promise<InvitationWithLink> {
  const { people } = ctx
  const { team } = await ctx.caller()
  const { user, role: own } = await sessionOf(ctx)
  refuseAboveOwn(own, role)
  await limitInvitations(people, team.id, user.id)
  const now = ctx.now()
  const tokens = newTokens()
  const id = newId("invitation", now)
  const invitation = {
    id,
    email,
    role,
    invitedBy: user.name,
    createdAt: now,
    expiresAt: now + VALID_MS,
  }
  const isMember = sql`exists (select 1 from ${members} join ${users} on ${users.id} = ${members.userId}
    where ${members.teamId} = ${team.id} and ${users.email} = ${email})`
  const { created } = await commit(people, {
    expired: people.db
      .delete(invitations)
      .where(
        and(
          eq(invitations.teamId, team.id),
          eq(invitations.email, email),
          lte(invitations.expiresAt, now),
          not(isMember),
        ),
      ),
    created: people.db.run(
      insertInto(
        invitations,
        { teamId: team.id, ...invitation, ...hashesOf(tokens) },
        sql`where not ${isMember} and ${hasRoom(people, team.id)} on conflict do nothing`,
      ),
    ),
    audit: await auditEntry(people, "invitations.create", { id, label: email }),
  })
  if (created.meta.changes === 0) {
    throw conflict("A member or a pending invitation has this address, or 100 are pending.")
  }
  return handOver(ctx, invitation, tokens)
}

export const listInvitations = (ctx: Ctx, query: PageQuery): Promise<Page<Invitation>> =>
  listRecords(ctx, invitations, "invitation", query)

export async function resendInvitation(ctx: Ctx, id: string): Promise<InvitationWithLink> {
  const { people } = ctx
  const { user, role: own } = await sessionOf(ctx)
  const tokens = newTokens()
  const [known] = await people.db.select().from(invitations).where(isInvitation(ctx, id))
  refuseAboveOwn(own, orNotFound(known, "Invitation").role)
  const { team } = await ctx.caller()
  await limitInvitations(people, team.id, user.id)
  const { updated } = await commit(people, {
    updated: people.db
      .update(invitations)
      .set({ ...hashesOf(tokens), invitedBy: user.name, expiresAt: ctx.now() + VALID_MS })
      .where(
        and(
          isInvitation(ctx, id),
          or(gt(invitations.expiresAt, ctx.now()), hasRoom(people, team.id)),
        ),
      )
      .returning(),
    audit: await auditEntry(people, "invitations.resend", { id }),
  })
  const [row] = updated
  if (!row) throw conflict("The invitation was revoked, or it has expired and 100 are pending.")
  return handOver(ctx, row, tokens)
}

/** A condition: the team may have one more pending invitation. */
const hasRoom = ({ db, now }: Work, teamId: string) =>
  sql`${db.$count(
    invitations,
    and(eq(invitations.teamId, teamId), gt(invitations.expiresAt, now())),
  )} < ${MAX_PENDING}`

export async function revokeInvitation(ctx: Ctx, id: string): Promise<undefined> {
  const { role: own } = await sessionOf(ctx)
  const mayRevoke = own === "owner" ? undefined : sql`${invitations.role} <> 'owner'`
  const { deleted } = await commit(ctx, {
    deleted: ctx.db
      .delete(invitations)
      .where(and(isInvitation(ctx, id), mayRevoke))
      .returning({ id: invitations.id }),
    audit: await auditEntry(ctx, "invitations.revoke", { id }),
  })
  orNotFound(deleted[0], "Invitation")
}

const isInvitation = (ctx: Ctx, id: string) =>
  and(eq(invitations.teamId, ctx.team), eq(invitations.id, id))

const linkTo = ({ settings }: Work, token: string) =>
  `${settings.BASE_URL}/dashboard/invitation#token=${token}`

async function limitInvitations(ctx: Ctx, teamId: string, userId: string): Promise<void> {
  const over = await countMails(ctx, {
    [`invitations of ${teamId}`]: MAILS_A_DAY.team,
    [`invitations by ${userId}`]: MAILS_A_DAY.person,
  })
  if (over.length > 0) {
    const message = "A team and a person may invite 50 times a day."
    throw retryLater("rate_limited", message, HOUR_MS / SECOND_MS)
  }
}

/** Whether the address may get one more invitation: nobody asked for it. */
async function mayMail(ctx: Ctx, teamId: string, email: string): Promise<boolean> {
  const [blocked] = await ctx.db
    .select({ email: suppressions.email })
    .from(suppressions)
    .where(
      and(
        eq(suppressions.teamId, teamId),
        inArray(suppressions.email, [email, erasedForm(ctx.settings, email)]),
      ),
    )
    .limit(1)
  if (blocked) return false
  const over = await countMails(ctx.people, { [`invitations to ${email}`]: MAILS_A_DAY.address })
  return over.length === 0
}

/** Mail programs make a link of a host in a text. An invisible joiner prevents that. */
const unlinked = (name: string | null) => (name ?? "").replace(/\.(?=\S)/g, ".\u2060")

async function handOver(
  ctx: Ctx,
  invitation: Invitation,
  { mailed, copied }: Tokens,
): Promise<InvitationWithLink> {
  const { team } = await ctx.caller()
  const isAllowed = await mayMail(ctx, team.id, invitation.email)
  const from = isAllowed ? await senderOf(ctx, [team.id]) : null
  if (from) {
    ctx.defer(
      sendSystemMail(ctx, from, {
        to: invitation.email,
        subject: "Invitation to a team on Edgepost",
        before: [
          `${unlinked(invitation.invitedBy)} invites you to the team ${unlinked(team.name)} on Edgepost.`,
        ],
        link: linkTo(ctx, mailed),
        after: ["The link works once, for seven days."],
      }),
    )
  }
  const { id, email, role, invitedBy, createdAt, expiresAt } = invitation
  const shown = { id, email, role, invitedBy, createdAt, expiresAt }
  return { ...shown, link: linkTo(ctx, copied), mailed: from !== null }
}

/** A condition: the invitation of a link that still works. */
export const isOpen = (token: string, now: number) =>
  and(
    or(eq(invitations.mailedHash, sha256Hex(token)), eq(invitations.copiedHash, sha256Hex(token))),
    gt(invitations.expiresAt, now),
  )

export const isMailed = ({ mailedHash }: Row, token: string) => mailedHash === sha256Hex(token)

export const forgetOldInvitations = (work: Work) =>
  work.db.delete(invitations).where(lte(invitations.expiresAt, work.now() - KEPT_MS))
