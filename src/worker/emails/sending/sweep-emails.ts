import { lt, sql } from "drizzle-orm"
import { inRounds } from "../../../lib/rounds.ts"
import { MINUTE_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { assignments } from "../../platform/db/columns.ts"
import { SWEEP_LOOKS_AHEAD_MS } from "../../platform/queues/due-work.ts"
import { createProvider } from "../../providers/create-provider.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import type { EmailRef } from "../messages.ts"
import { recordEvents } from "../outcomes/record.ts"
import { reportOf } from "../outcomes/report.ts"
import { enqueueSends } from "../queue.ts"
import { emails } from "../table.ts"
import { LONGEST_LEASE_MS } from "./claim.ts"
import { isOpen, OPEN_EMAILS, openTeams, PRIORITIES, type Priority } from "./open-emails.ts"
import { giveUpAfterMs } from "./pacing/provider-pause.ts"
import { providerPauses } from "./table.ts"

/**
 * Enqueues a message for each second of the coming minute in which a team has an email due:
 * scheduled mail, a retry, or an email whose consumer died. An overdue email has lost its message.
 */
export async function sweepEmails(work: Work): Promise<void> {
  const due = await namedBatch(work.db, {
    transactional: selectDue(work, PRIORITIES.transactional),
    bulk: selectDue(work, PRIORITIES.bulk),
    scheduled: selectDue(work, PRIORITIES.scheduled),
  })
  await enqueueSends(work, [
    ...[...due.transactional, ...due.scheduled].map((one) => ({ ...one, bulk: false })),
    ...due.bulk.map((one) => ({ ...one, bulk: true })),
  ])
}

/** More than any lease or wait of a retry. */
const LONGEST_WAIT_MS = 30 * MINUTE_MS
const SHORTENED_A_SWEEP = 1_000

/**
 * A lease that ends later than any rule allows was taken by a clock that is ahead. Its holder may be
 * sending, so the email gets a whole lease from now on.
 */
export async function shortenLeases(work: Work): Promise<void> {
  const now = work.now()
  const end = now + LONGEST_LEASE_MS
  const shorten = (priority: Priority) =>
    work.db.run(sql`
      with recursive ${openTeams(priority)}
      update emails set ${assignments(emails, { notBefore: end })}
      where (${emails.teamId}, ${emails.id}) in (
        select ${emails.teamId}, ${emails.id} from team cross join ${OPEN_EMAILS}
          on ${isOpen(priority)} and ${emails.teamId} = team.id
            and ${emails.notBefore} > ${now + LONGEST_WAIT_MS}
          and ${emails.teamId} not in (${FENCED_TEAMS})
        limit +${SHORTENED_A_SWEEP})`)
  await work.db.batch([shorten(PRIORITIES.transactional), shorten(PRIORITIES.bulk)])
}

const EXPIRED = { rounds: 20, size: 100 }

/**
 * Fails what a provider has not taken for so long. A probe postpones its email, and fails it when it
 * is too old.
 */
export async function failExpiredEmails(work: Work): Promise<void> {
  const dueBefore = work.now() - giveUpAfterMs(work)
  const pauses = await work.db
    .select()
    .from(providerPauses)
    .where(lt(providerPauses.since, dueBefore))
  for (const { provider, reason } of pauses) {
    for (const priority of prioritiesOf(work, provider)) {
      await inRounds(EXPIRED, async (size) => {
        const expired = await selectExpired(work, { provider, priority, dueBefore, size })
        const reports = expired.map(({ attempts, ...ref }) => ({
          ...reportOf(ref, "failed", work.now(), { reason }),
          attempt: attempts,
        }))
        await recordEvents(work, reports)
        return expired
      })
    }
  }
}

/** The priorities of mail that go through a provider. */
const prioritiesOf = (work: Work, provider: string): Priority[] =>
  (["transactional", "bulk"] as const)
    .filter((priority) => createProvider(work, { bulk: priority === "bulk" }).name === provider)
    .map((priority) => PRIORITIES[priority])

interface Expiry {
  provider: string
  priority: Priority
  dueBefore: number
  size: number
}

/** None any more once the pause has ended. */
const selectExpired = (work: Work, { provider, priority, dueBefore, size }: Expiry) =>
  work.db.all<EmailRef & { attempts: number }>(sql`
    with recursive ${openTeams(priority)}
    select ${emails.teamId} as teamId, ${emails.id} as emailId, ${emails.attempts}
    from team cross join ${OPEN_EMAILS}
      on ${isOpen(priority)} and ${emails.teamId} = team.id and ${emails.notBefore} < ${dueBefore}
    where ${emails.teamId} not in (${FENCED_TEAMS}) and exists (
      select 1 from ${providerPauses}
      where ${providerPauses.provider} = ${provider} and ${providerPauses.since} < ${dueBefore})
    limit +${size}`)

/** One index step for each team and second, however many emails are due. */
function selectDue(work: Work, priority: Priority) {
  const now = work.now()
  const nextDue = (team: string, after: string) => sql`(
    select min(${emails.notBefore}) from ${OPEN_EMAILS}
    where ${isOpen(priority)} and ${emails.teamId} = ${sql.raw(team)}
      and ${emails.notBefore} > ${sql.raw(after)}
      and ${emails.notBefore} <= ${now + SWEEP_LOOKS_AHEAD_MS})`
  const secondOf = `${now} + (max(due.not_before, ${now}) - ${now} + 999) / 1000 * 1000`
  return work.db.all<{ teamId: string; notBefore: number }>(sql`
    with recursive ${openTeams(priority)},
    due (team_id, not_before) as (
      select team.id, ${nextDue("team.id", "-1")} from team where team.id is not null
      union all
      select team_id, ${nextDue("due.team_id", secondOf)} from due where not_before is not null
    )
    select team_id as teamId, not_before as notBefore from due where not_before is not null`)
}
