import { eq, type SQL, sql } from "drizzle-orm"
import { DAY_MS } from "../../../lib/time.ts"
import { emailEvents, emails, emailTags } from "../../emails/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { columnsOf, resultColumns } from "../../platform/db/columns.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { type getStatsSeries as contract, MAX_TAGGED_EMAILS } from "../contract.ts"
import { isHardBounce } from "../counters.ts"
import { countedIn, HOUR_COUNTS } from "./count-hours.ts"
import { matchesFilters, type Range, type StepRow, stepOf } from "./steps.ts"

type Query = InputOf<typeof contract>["query"] & { tag: string }

const first = columnsOf<"type" | "at" | "is_hard">("firsts")

/** The steps of the emails with a tag, from their timelines; null if there are too many. */
export async function countTagged(
  ctx: Ctx,
  query: Query,
  range: Range,
): Promise<{ rows: StepRow[]; isWhole: boolean } | null> {
  const tagged = sql`select ${emailTags.emailId} as id from ${emailTags}
    where ${eq(emailTags.teamId, ctx.team)} and ${eq(emailTags.tag, query.tag)}
    limit +${MAX_TAGGED_EMAILS + 1}`
  const [[found], rows] = await ctx.batch([
    ctx.db.all<{ emails: number }>(sql`select count(*) as emails from (${tagged})`),
    ctx.db.all<StepRow>(selectSteps(ctx, query, range, tagged)),
  ])
  if ((found?.emails ?? 0) > MAX_TAGGED_EMAILS) return null
  const keptFrom = ctx.now() - ctx.settings.RECORD_RETENTION_DAYS * DAY_MS
  return { rows, isWhole: range.from >= keptFrom }
}

function selectSteps(ctx: Ctx, query: Query, range: Range, tagged: SQL): SQL {
  const firsts = {
    type: emailEvents.type,
    is_hard: isHardBounce(emailEvents.data),
    at: sql`min(${emailEvents.occurredAt})`,
  }
  const sums = HOUR_COUNTS.map((count): [string, SQL] => [
    count,
    sql`sum(${countedIn(first, count)})`,
  ])
  return sql`
    select ${resultColumns({ step: stepOf(first.at, range), ...Object.fromEntries(sums) })}
    from (
      select ${resultColumns(firsts)} from (${tagged}) tagged
      cross join emails on ${eq(emails.teamId, ctx.team)} and ${emails.id} = tagged.id
      cross join ${emailEvents}
        on ${emailEvents.teamId} = ${emails.teamId} and ${emailEvents.emailId} = ${emails.id}
      where ${matchesFilters(emails, query) ?? sql`true`} group by ${emails.id}, ${emailEvents.type}
    ) as firsts
    where ${first.at} >= ${range.from} and ${first.at} < ${range.end} group by 1`
}
