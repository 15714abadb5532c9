import { and, eq, sql } from "drizzle-orm"
import { logError } from "../../lib/log.ts"
import { inRounds } from "../../lib/rounds.ts"
import { removeAddress } from "../contacts/delete.ts"
import type { Contact } from "../contacts/shapes.ts"
import { deleteLostRecipients } from "../emails/rewrite.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { excluded } from "../platform/db/columns.ts"
import { commit } from "../platform/db/commit.ts"
import type { Settings } from "../platform/env.ts"
import { keepRemovals } from "../removals/keep.ts"
import { erasedForm, suppressErased } from "../suppressions/erased.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { FENCED_TEAMS } from "../teams/moving/fenced.ts"
import { rewriteEvents, selectContactEvents } from "../webhooks/events/rewrite.ts"
import { eraseDeadLetters } from "./dead-letters.ts"
import { eraseEmails } from "./emails.ts"
import { eraseReplies } from "./replies.ts"
import { erasures } from "./table.ts"
import { eraseTexts } from "./texts.ts"

const ERASURES_A_SWEEP = 10

type Request = Pick<typeof erasures.$inferSelect, "teamId" | "email" | "requestedAt">

interface Erased {
  contacts: number
  emails: number
}

/**
 * Stores the request first: the sweep finishes an erasure that breaks off, and reads the log for
 * replies. A request that is there gets another time, so that a sweep that is at it leaves it.
 */
export async function eraseAddress(ctx: Ctx, email: string): Promise<Erased> {
  const { team } = await ctx.caller()
  const request = { teamId: team.id, email, requestedAt: ctx.now() }
  await commit(ctx, {
    requested: ctx.db
      .insert(erasures)
      .values(request)
      .onConflictDoUpdate({
        target: [erasures.teamId, erasures.email],
        set: {
          requestedAt: sql`max(${excluded(erasures.requestedAt)}, ${erasures.requestedAt} + 1)`,
        },
      }),
    audit: await auditEntry(ctx, "erasures.create"),
  })
  const { contacts, emails } = await erase(ctx, request)
  return { contacts, emails }
}

/**
 * Requests of the command line, erasures that broke off, and those that waited for a provider. The
 * teams that are moving wait. An erasure must not leave out their rows, so a fence that closes
 * meanwhile has to refuse its statements.
 */
export async function sweepErasures(work: Work): Promise<void> {
  const asked = await work.db
    .select()
    .from(erasures)
    .where(sql`${erasures.teamId} not in (${FENCED_TEAMS})`)
    .orderBy(erasures.triedAt)
    .limit(ERASURES_A_SWEEP)
  for (const request of asked) {
    await finish(work, request).catch((error) => logError(error, { erasure: request.teamId }))
  }
}

async function finish(work: Work, request: Request): Promise<void> {
  const { teamId, email, requestedAt } = request
  await work.db.update(erasures).set({ triedAt: work.now() }).where(isErasure(teamId, email))
  const { unfinished } = await erase(work, request)
  const { eraseReceived } = await import("../received/erase.ts")
  const isEnd = await eraseReplies(work, teamId, email)
  const isEndOfReceived = await eraseReceived(work, teamId, email)
  if (isEnd && isEndOfReceived && !unfinished) {
    const isAsRead = and(isErasure(teamId, email), eq(erasures.requestedAt, requestedAt))
    await work.db.batch([
      deleteLostRecipients(work, teamId, email),
      work.db.delete(erasures).where(isAsRead),
    ])
  }
}

const isErasure = (teamId: string, email: string) =>
  and(eq(erasures.teamId, teamId), eq(erasures.email, email))

/** Suppresses first: no email to the address is accepted while the mail log is rewritten. */
async function erase(work: Work, { teamId, email, requestedAt }: Request) {
  const erased = erasedForm(work.settings, email)
  await commit(work, {
    kept: keepRemovals(
      work,
      { teamId, kind: "address", subject: erased, removedAt: requestedAt },
      sql`where true`,
    ),
    suppressed: suppressErased(work, teamId, email),
  })
  const contacts = await eraseContacts(work, teamId, email)
  const { emails, unfinished } = await eraseEmails(work, teamId, email)
  await eraseDeadLetters(work, teamId, email)
  await eraseTexts(work, teamId, email)
  return { contacts, emails, unfinished }
}

const ROUNDS = { size: 200 }

async function eraseContacts(work: Work, teamId: string, email: string): Promise<number> {
  const books = await removeAddress(work, teamId, email)
  await eraseContactEvents(work, teamId, email)
  return books
}

/** Rewritten events are not found again, so each round finds the next ones. */
const eraseContactEvents = (work: Work, teamId: string, email: string) =>
  inRounds(ROUNDS, async (size) => {
    const changed = await selectContactEvents(work, teamId, email, size)
    const rewritten = changed.map((event) => ({
      ...event,
      before: event.data,
      data: { contact: forgotten(work.settings, JSON.parse(event.data)) },
    }))
    await commit(work, rewriteEvents(work, teamId, rewritten))
    return changed
  })

/** Only the ids and the dates stay. */
const forgotten = (settings: Settings, { contact }: { contact: Contact }): Contact => ({
  ...contact,
  email: erasedForm(settings, contact.email),
  firstName: null,
  lastName: null,
  properties: {},
  unsubscribeReason: null,
  topics: {},
})
