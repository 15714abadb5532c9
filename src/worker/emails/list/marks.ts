import { and, asc, eq, inArray } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { EVENT_BITS } from "../../stats/counters.ts"
import { emailEvents, emails } from "../table.ts"
import type { EmailMarks } from "./contract.ts"

const REASONED = ["bounced", "failed"] as const

/** What a list shows of each email beside its status. */
export async function readMarks(ctx: Ctx, ids: readonly string[]): Promise<{ data: EmailMarks[] }> {
  const [rows, entries] = await ctx.batch([
    ctx.db
      .select({ id: emails.id, eventTypes: emails.eventTypes })
      .from(emails)
      .where(and(eq(emails.teamId, ctx.team), isOneOf(emails.id, ids))),
    ctx.db
      .select({ emailId: emailEvents.emailId, type: emailEvents.type, data: emailEvents.data })
      .from(emails)
      .innerJoin(
        emailEvents,
        and(eq(emailEvents.teamId, emails.teamId), eq(emailEvents.emailId, emails.id)),
      )
      .where(
        and(
          eq(emails.teamId, ctx.team),
          isOneOf(emails.id, ids),
          inArray(emails.status, REASONED),
          eq(emailEvents.type, emails.status),
        ),
      )
      .orderBy(asc(emailEvents.id)),
  ])
  const { explainEntry } = await import("../explain/cause.ts")
  const reasons = new Map(
    entries.map(({ emailId, type, data }) => [
      emailId,
      {
        reason: explainEntry(type, data)?.cause.meaning ?? null,
        bounceType: data.bounceType ?? null,
        diagnostic: data.diagnosticCode ?? data.reason ?? null,
      },
    ]),
  )
  return {
    data: rows.map(({ id, eventTypes }) => ({
      id,
      opened: (eventTypes & EVENT_BITS.opened) !== 0,
      clicked: (eventTypes & EVENT_BITS.clicked) !== 0,
      ...(reasons.get(id) ?? { reason: null, bounceType: null, diagnostic: null }),
    })),
  }
}
