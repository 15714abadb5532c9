import { and, asc, desc, eq, sql } from "drizzle-orm"
import { type Filling, isOfCancelled, opensAt } from "../../campaigns/sending/campaign-mail.ts"
import { campaignRuns, campaigns } from "../../campaigns/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { jsonFields } from "../../platform/db/json-rows.ts"
import { createProvider } from "../../providers/create-provider.ts"
import { hasReportAddresses } from "../../received/reading/report-addresses.ts"
import { selectSequenceFillings } from "../../sequences/sending/fillings.ts"
import { ERASED_HOST } from "../../suppressions/erased.ts"
import { suppressions } from "../../suppressions/table.ts"
import type { EmailEventType } from "../contract.ts"
import { emailOrNotFound, selectEmail } from "../get.ts"
import { isInPack } from "../packs/pack.ts"
import { selectTakesReports } from "../sending/claim.sql.ts"
import { providerPauses } from "../sending/table.ts"
import { emailContents, emailEvents, emails, type Recipient } from "../table.ts"
import type { Explanation } from "./contract.ts"
import type { ExplainInput } from "./input.ts"

/** By id, a day's opens and clicks come before its other entries. There are at most 100. */
const FIRST_ENTRIES = 200
const LAST_ENTRIES = 100

/** Reads the beginning and the end of the timeline, so that each email costs much the same. */
export async function explainEmail(ctx: Ctx, id: string): Promise<Explanation> {
  const asked = sql`(select ${ctx.team}, ${id})`
  const [[row], first, last, contents, [campaign], [filling], [domain], pauses, suppressed] =
    await ctx.batch([
      selectEmail(ctx, id),
      selectEntries(ctx, id, "first"),
      selectEntries(ctx, id, "last"),
      ctx.db
        .select({ emailId: emailContents.emailId })
        .from(emailContents)
        .where(and(eq(emailContents.teamId, ctx.team), eq(emailContents.emailId, id))),
      selectCampaign(ctx, id),
      selectSequenceFillings(ctx, asked),
      selectTakesReports(ctx, asked),
      ctx.db.select().from(providerPauses),
      selectSuppressed(ctx, id),
    ])
  const email = emailOrNotFound(row)
  const entries = [...new Map([...first, ...last].map((entry) => [entry.id, entry])).values()]
  const provider = createProvider(ctx, { bulk: email.campaignId !== null })
  const { composeExplanation } = await import("./compose.ts")
  return composeExplanation({
    email,
    entries: entries.sort((a, b) => a.occurredAt - b.occurredAt || order(a.type) - order(b.type)),
    isCut: entries.length >= FIRST_ENTRIES + LAST_ENTRIES,
    suppressed,
    hasContent: contents.length > 0 || isInPack(ctx, email),
    campaign,
    sequence: filling && sequenceOf(filling, ctx.now()),
    provider,
    takesReports: hasReportAddresses(ctx.settings, domain),
    pause: pauses.find((one) => one.provider === provider.name),
    now: ctx.now(),
  })
}

const selectEntries = (ctx: Ctx, id: string, end: "first" | "last") =>
  ctx.db
    .select()
    .from(emailEvents)
    .where(and(eq(emailEvents.teamId, ctx.team), eq(emailEvents.emailId, id)))
    .orderBy(end === "first" ? asc(emailEvents.id) : desc(emailEvents.id))
    .limit(end === "first" ? FIRST_ENTRIES : LAST_ENTRIES)

const selectCampaign = (ctx: Ctx, id: string) =>
  ctx.db.all<NonNullable<ExplainInput["campaign"]>>(sql`
    select ${campaigns.status}, ${campaignRuns.pausedReason} as pausedReason from emails
    cross join campaigns on ${campaigns.teamId} = ${emails.teamId}
      and ${campaigns.id} = ${emails.campaignId}
    left join ${campaignRuns} on ${campaignRuns.teamId} = ${campaigns.teamId}
      and ${campaignRuns.campaignId} = ${campaigns.id}
    where ${emails.teamId} = ${ctx.team} and ${emails.id} = ${id}`)

const sequenceOf = (filling: Filling, now: number): ExplainInput["sequence"] => ({
  isOver: isOfCancelled(filling),
  isPaused: Boolean(filling.isPaused),
  opensAt: filling.subscribed ? opensAt(filling, now) : null,
})

const r = jsonFields<Recipient>("r")

/** The recipients that are on the suppression list now, also in erased form. */
const selectSuppressed = (ctx: Ctx, id: string) =>
  ctx.db.all<ExplainInput["suppressed"][number]>(sql`
    select ${r.address} as address, ${suppressions.reason} from emails
    cross join json_each(${emails.recipients}) r
    cross join suppressions on ${suppressions.teamId} = ${emails.teamId}
      and ${suppressions.email} in (${r.address}, ${r.hash} || ${ERASED_HOST})
    where ${emails.teamId} = ${ctx.team} and ${emails.id} = ${id}`)

/** Among entries of the same time, `sent` comes first. */
const order = (type: EmailEventType) => (type === "sent" ? 0 : 1)
