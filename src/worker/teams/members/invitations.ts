import { and, eq, gt, lte, not, or, sql } from "drizzle-orm"
import { randomBase64url, sha256Hex } from "../../../lib/crypto.ts"
import { DAY_MS } from "../../../lib/time.ts"
import type { Role } from "../../access/people/contract.ts"
import { sessionOf } from "../../access/people/session.ts"
import { invitations, members, users } from "../../access/people/table.ts"
import type { Ctx, Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { ApiError, conflict, found } from "../../platform/http/errors.ts"
import { listRecords } from "../../platform/http/list.ts"
import type { Page, PageQuery } from "../../platform/http/page.ts"
import { senderOf, sendSystemMail } from "../notices/system-mail.ts"
import type { Invitation, InvitationWithLink } from "./invitations-contract.ts"

const VALID_MS = 7 * DAY_MS
const KEPT_MS = 30 * DAY_MS
const MAX_PENDING = 100

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
  const { team } = await ctx.caller()
  const { user, role: own } = await sessionOf(ctx)
  refuseAboveOwn(own, role)
  const now = ctx.now()
  const tokens = newTokens()
  const id = ctx.newId("invitation")
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
  const pending = ctx.db.$count(invitations, eq(invitations.teamId, team.id))
  const { created } = await namedBatch(ctx, {
    expired: ctx.db
      .delete(invitations)
      .where(
        and(
          eq(invitations.teamId, team.id),
          eq(invitations.email, email),
          lte(invitations.expiresAt, now),
          not(isMember),
        ),
      ),
    created: ctx.db.run(
      insertInto(
        invitations,
        { teamId: team.id, ...invitation, ...hashesOf(tokens) },
        sql`where not ${isMember} and ${pending} < ${MAX_PENDING} on conflict do nothing`,
      ),
    ),
  })
  if (created.meta.changes === 0) {
    throw conflict("A member or a pending invitation has this address, or 100 are pending.")
  }
  return handOver(ctx, invitation, tokens)
}

export const listInvitations = (ctx: Ctx, query: PageQuery): Promise<Page<Invitation>> =>
  listRecords(ctx, invitations, "invitation", query)

export async function resendInvitation(ctx: Ctx, id: string): Promise<InvitationWithLink> {
  const { user, role: own } = await sessionOf(ctx)
  const tokens = newTokens()
  const [known] = await ctx.db.select().from(invitations).where(isInvitation(ctx, id))
  refuseAboveOwn(own, found(known, "Invitation").role)
  const [row] = await ctx.db
    .update(invitations)
    .set({ ...hashesOf(tokens), invitedBy: user.name, expiresAt: ctx.now() + VALID_MS })
    .where(isInvitation(ctx, id))
    .returning()
  return handOver(ctx, found(row, "Invitation"), tokens)
}

export async function revokeInvitation(ctx: Ctx, id: string): Promise<undefined> {
  const { role: own } = await sessionOf(ctx)
  const [row] = await ctx.db
    .delete(invitations)
    .where(
      and(isInvitation(ctx, id), own === "owner" ? undefined : sql`${invitations.role} <> 'owner'`),
    )
    .returning({ id: invitations.id })
  found(row, "Invitation")
}

const isInvitation = (ctx: Ctx, id: string) =>
  and(eq(invitations.teamId, ctx.team), eq(invitations.id, id))

const linkTo = ({ settings }: Work, token: string) =>
  `${settings.BASE_URL}/dashboard/invitation#token=${token}`

async function handOver(
  ctx: Ctx,
  invitation: Invitation,
  { mailed, copied }: Tokens,
): Promise<InvitationWithLink> {
  const { team } = await ctx.caller()
  const from = await senderOf(ctx, [team.id])
  if (from) {
    ctx.defer(
      sendSystemMail(ctx, from, {
        to: invitation.email,
        subject: `Invitation to ${team.name}`,
        before: [`${invitation.invitedBy} invites you to the team ${team.name} on Edgepost.`],
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
  work.db.delete(invitations).where(lte(invitations.createdAt, work.now() - KEPT_MS))
