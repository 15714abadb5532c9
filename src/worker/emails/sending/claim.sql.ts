import { and, type Column, inArray, isNull, lte, type SQL, sql } from "drizzle-orm"
import { selectBodies, selectFillings } from "../../campaigns/sending/campaign-mail.ts"
import { campaignBatches } from "../../campaigns/table.ts"
import { domains } from "../../domains/table.ts"
import type { Work } from "../../platform/context.ts"
import type { Query } from "../../platform/db/client.ts"
import { assignments, excluded, insertInto } from "../../platform/db/columns.ts"
import { limitedPerOwner } from "../../platform/db/per-owner.ts"
import { type Placeholders, prepared } from "../../platform/db/prepared.ts"
import { inboxes } from "../../received/table.ts"
import { selectSequenceBodies, selectSequenceFillings } from "../../sequences/sending/fillings.ts"
import { blockingSuppressions } from "../../suppressions/blocking.ts"
import { ERASED_HOST } from "../../suppressions/erased.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { teams } from "../../teams/table.ts"
import { OPEN_STATUSES } from "../statuses.ts"
import { emailContents, emails } from "../table.ts"
import { type ChoiceRule, chosen, lastServed } from "./choose.ts"
import { type ClaimValues, isOpen, OPEN_EMAILS, PRIORITIES, placeholder } from "./open-emails.ts"
import { allowedByPause, selectPause, takeProbe } from "./pacing/provider-pause.ts"
import { providerSlots } from "./table.ts"

export interface Kind {
  isBulk: boolean
  /** Some of the emails may go to the provider. */
  isPaced: boolean
}

const isClaim = sql`${providerSlots.provider} = ${placeholder.provider}
  and ${providerSlots.claimedBy} = ${placeholder.claim}`

const SELECT_KEPT = sql`select x.value ->> 0, x.value ->> 1
  from ${providerSlots}, json_each(${providerSlots.chosen}) x where ${isClaim}`

/**
 * The lease is taken on the emails that the rule chooses. The statements after it find these emails
 * in the choice that the provider's row keeps, or by the rule's `claimed`.
 */
export function writeStatements(rule: ChoiceRule, { isBulk, isPaced }: Kind) {
  const room = isPaced ? allowedByPause : sql`${placeholder.size}`
  const isKept = rule.claimed === undefined
  const asked = sql`(${rule.claimed ?? SELECT_KEPT})`
  const isDue = and(
    sql`(${emails.teamId}, ${emails.id}) in ${isKept ? asked : selectChoice(rule, room)}`,
    inArray(emails.status, OPEN_STATUSES),
    lte(emails.notBefore, placeholder.dueBy),
    isBulk ? undefined : isNull(emails.campaignId),
  )
  const write = prepared((db, _: Placeholders<keyof ClaimValues>) => ({
    released: releaseScheduled({ db }),
    probe: optional(isPaced, () => takeProbe({ db })),
    pause: optional(isPaced, () => selectPause({ db })),
    choose: optional(isKept, () => keepChoice({ db }, rule, room)),
    taken: takeLease({ db }, isDue),
    kept: optional(isKept, () =>
      db.select({ chosen: providerSlots.chosen }).from(providerSlots).where(isClaim),
    ),
    contents: db
      .select()
      .from(emailContents)
      .where(sql`(${emailContents.teamId}, ${emailContents.emailId}) in ${asked}`),
    findings: selectFindings({ db }, asked),
    fillings: optional(isBulk, () => selectFillings({ db }, asked)),
    bodies: optional(isBulk, () => selectBodies({ db }, asked)),
    sequenceFillings: optional(isBulk, () => selectSequenceFillings({ db }, asked)),
    sequenceBodies: optional(isBulk, () => selectSequenceBodies({ db }, asked)),
    takeFromBatch: isBulk ? takeFromBatch({ db }) : [],
  }))
  return { isKept, write }
}

/** A statement that this kind of claim needs, or none. */
const optional = <Q extends Query>(isNeeded: boolean, write: () => Q): readonly Q[] =>
  isNeeded ? [write()] : []

const withChosen = ({ candidates }: ChoiceRule, room: SQL) => sql`
  with recursive ${candidates(room)},
  chosen as (select * from candidate order by position limit +${room})`

const selectChoice = (rule: ChoiceRule, room: SQL) =>
  sql`(${withChosen(rule, room)} select ${chosen.team_id}, ${chosen.id} from chosen)`

/** Chooses the emails of a claim, earlier in the claim's batch. */
const keepChoice = ({ db }: Pick<Work, "db">, rule: ChoiceRule, room: SQL) =>
  db.run(sql`
    ${insertInto(
      providerSlots,
      {
        provider: placeholder.provider,
        nextSlot: 0,
        nextTransactionalSlot: 0,
        claimedBy: placeholder.claim,
        chosen: sql`list`,
        lastTeam: sql`coalesce(${lastServed.last_team}, '')`,
        lastBulkTeam: sql`coalesce(${lastServed.last_bulk_team}, '')`,
        lastBatch: lastServed.last_batch,
      },
      sql`from (
        select json_group_array(json_array(${chosen.team_id}, ${chosen.id})) as list from chosen
      ), last_served where list <> '[]'`,
      {
        tables: sql`${withChosen(rule, room)}, last_served (last_team, last_bulk_team, last_batch) as (${rule.lastServed})`,
      },
    )}
    on conflict do update set ${assignments(providerSlots, {
      claimedBy: excluded(providerSlots.claimedBy),
      chosen: excluded(providerSlots.chosen),
      lastTeam: unlessEmpty(providerSlots.lastTeam),
      lastBulkTeam: unlessEmpty(providerSlots.lastBulkTeam),
      lastBatch: sql`coalesce(${excluded(providerSlots.lastBatch)}, ${providerSlots.lastBatch})`,
    })}`)

const unlessEmpty = (column: Column) =>
  sql`iif(${excluded(column)} = '', ${column}, ${excluded(column)})`

const takeLease = ({ db }: Pick<Work, "db">, isDue: SQL | undefined) =>
  db
    .update(emails)
    .set({
      status: "sending",
      attempts: sql`${emails.attempts} + 1`,
      unanswered: sql`${emails.unanswered} + 1`,
      claimedBy: sql`${placeholder.claim}`,
      notBefore: sql`${placeholder.lease}`,
      dueAt: sql`coalesce(${emails.dueAt}, max(${emails.createdAt}, ${placeholder.now}))`,
    })
    .where(isDue)
    .returning()

/** Moves the teams' scheduled mail that is due into the line of transactional mail. */
const releaseScheduled = ({ db }: Pick<Work, "db">) =>
  db.run(sql`
    update emails set ${assignments(emails, { status: "queued" })}
    where (${emails.teamId}, ${emails.id}) in (
      select t.value, x.value from json_each(${placeholder.teams}) t
      cross join ${limitedPerOwner(
        sql`select ${emails.id} as value from ${OPEN_EMAILS}
          where ${isOpen(PRIORITIES.scheduled)} and ${emails.teamId} = t.value
            and ${emails.notBefore} <= ${placeholder.dueBy}
          order by ${emails.notBefore}`,
        sql`${placeholder.releasedOfEach}`,
      )} x
      where t.value not in (${FENCED_TEAMS})
    )`)

export interface Finding {
  id: string
  /** JSON of `Blocked[]`. */
  blocked: string
  opens: 0 | 1
  clicks: 0 | 1
  /** Another team may have proven the domain since, so mail from it must not go out. */
  hasDomain: 0 | 1
  /** Mail about the email can come to the team. */
  takesReports: 0 | 1
}

const blocked = blockingSuppressions({
  team: sql`${emails.teamId}`,
  addresses: sql`select distinct value ->> 'address' as address,
    (value ->> 'hash') || ${ERASED_HOST} as erased from json_each(${emails.recipients})`,
  override: sql`${emails.overrideSuppression}`,
})

const hasDomain = sql`exists (
  select 1 from ${domains} where ${domains.teamId} = ${emails.teamId} and ${domains.id} = ${emails.domainId}
    and ${domains.status} <> 'failed')`

const takesReports = sql`exists (
  select 1 from ${domains} where ${domains.teamId} = ${emails.teamId} and ${domains.id} = ${emails.domainId}
    and ${domains.receiving} ->> 'mode' <> 'off')
  and exists (select 1 from inboxes where ${inboxes.teamId} = ${emails.teamId}
  and ${inboxes.deletedAt} is null)`

export const selectTakesReports = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db.all<Pick<Finding, "takesReports">>(sql`
    select ${takesReports} as takesReports from emails
    where (${emails.teamId}, ${emails.id}) in ${asked}`)

/** Read at send time: suppressions, the domain and the team's tracking settings. */
const selectFindings = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db.all<Finding>(sql`
    select ${emails.id}, ${blocked} as blocked, ${hasDomain} as hasDomain,
      ${takesReports} as takesReports,
      coalesce(${emails.trackOpens}, ${teams.trackOpens}) as opens,
      coalesce(${emails.trackClicks}, ${teams.trackClicks}) as clicks
    from emails join ${teams} on ${teams.id} = ${emails.teamId}
    where (${emails.teamId}, ${emails.id}) in ${asked} and ${emails.status} = 'sending'`)

/** Takes the emails of a claim out of their batch: their leases keep track of them from now on. */
const takeFromBatch = ({ db }: Pick<Work, "db">): [Query, Query] => {
  const left = sql`from json_each(${campaignBatches.emails}) where value not in (
    select x.value ->> 1 from ${providerSlots}, json_each(${providerSlots.chosen}) x
    where ${isClaim})`
  const part = (index: number) => sql`${providerSlots.lastBatch} ->> ${sql.raw(String(index))}`
  const isBatch = sql`(${campaignBatches.teamId}, ${campaignBatches.campaignId}, ${campaignBatches.id}) in (
    select ${part(0)}, ${part(1)}, ${part(2)} from ${providerSlots} where ${isClaim})`
  return [
    db.delete(campaignBatches).where(sql`${isBatch} and not exists (select 1 ${left})`),
    db
      .update(campaignBatches)
      .set({ emails: sql`(select json_group_array(value) ${left})` })
      .where(isBatch),
  ]
}
