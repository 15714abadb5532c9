import { and, type Column, inArray, isNull, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { isGoingOn, selectBodies, selectFillings } from "../../campaigns/sending/campaign-mail.ts"
import { campaignBatches } from "../../campaigns/table.ts"
import { domains } from "../../domains/table.ts"
import type { Work } from "../../platform/context.ts"
import type { Query } from "../../platform/db/client.ts"
import { assignments, excluded, insertInto } from "../../platform/db/columns.ts"
import { limitedPerOwner } from "../../platform/db/per-owner.ts"
import { type Placeholders, prepared } from "../../platform/db/prepared.ts"
import { selectSequenceBodies, selectSequenceFillings } from "../../sequences/sending/fillings.ts"
import { blockingSuppressions } from "../../suppressions/blocking.ts"
import { ERASED_HOST } from "../../suppressions/erased.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { teams } from "../../teams/table.ts"
import { OPEN_STATUSES } from "../statuses.ts"
import { e, emailContents, emails } from "../table.ts"
import { type ChoiceRule, chosen, lastServed } from "./choose.ts"
import { type ClaimValues, isOpen, OPEN_EMAILS, PRIORITIES, p } from "./open-emails.ts"
import { allowedByPause, selectPause, takeProbe } from "./provider-pause.ts"
import { providerSlots } from "./table.ts"

type SlotText = ReturnType<typeof slotText>

export interface Kind {
  isBounded: boolean
  isBulk: boolean
  /** Some of the emails may go to the provider. */
  isPaced: boolean
}

const isClaim = sql`${providerSlots.provider} = ${p.provider}
  and ${providerSlots.claimedBy} = ${p.claim}`

const SELECT_KEPT = sql`select x.value ->> 0, x.value ->> 1
  from ${providerSlots}, json_each(${providerSlots.chosen}) x where ${isClaim}`

/**
 * The lease is taken on the emails that the rule chooses. The statements after it find these emails
 * in the choice that the provider's row keeps, or by the rule's `claimed`.
 */
export function writeStatements(rule: ChoiceRule, { isBounded, isBulk, isPaced }: Kind) {
  const slots = slotText({ isBounded, isBulk, isPaced })
  const claimed = isBounded ? undefined : rule.claimed
  const isKept = claimed === undefined
  const asked = sql`(${claimed ?? SELECT_KEPT})`
  const isDue = and(
    sql`(${emails.teamId}, ${emails.id}) in ${isKept ? asked : selectChoice(rule, slots)}`,
    inArray(emails.status, OPEN_STATUSES),
    lte(emails.notBefore, p.dueBy),
    isBulk ? undefined : isNull(emails.campaignId),
  )
  const write = prepared((db, _: Placeholders<keyof ClaimValues>) => ({
    released: releaseScheduled({ db }),
    probe: optional(isPaced, () => takeProbe({ db })),
    pause: optional(isPaced, () => selectPause({ db })),
    slots: optional(isBounded, () =>
      db.all<{ room: number; firstSlot: number }>(
        sql`select ${slots.room} as room, ${slots.firstSlot} as firstSlot`,
      ),
    ),
    choose: optional(isKept, () => takeSlots({ db }, rule, slots)),
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

/** A line longer than some 5 seconds was made by a clock that was ahead. */
const inLine = (slot: SQLWrapper) =>
  sql`iif(${slot} > ${p.now} + (5000 + 2 * ${p.intervalMs}), ${p.now}, ${slot})`

/** `room`: how many messages may be claimed now. `firstSlot`: read it and the room before `takeSlots`. */
function slotText({ isBounded, isBulk, isPaced }: Kind) {
  const line = isBulk ? providerSlots.nextSlot : providerSlots.nextTransactionalSlot
  const lineEnd = sql`(select max(coalesce(${inLine(sql`max(${line})`)}, 0), ${p.now})
    from ${providerSlots} where ${providerSlots.provider} = ${p.provider})`
  const allowed = isPaced ? allowedByPause : sql`${p.size}`
  const left = sql`max(0, ${p.aheadMs} - (${lineEnd} - ${p.now})) / ${p.intervalMs}`
  return {
    room: isBounded ? sql`min(${allowed}, cast(${left} as integer))` : allowed,
    firstSlot: isBounded ? lineEnd : sql`0`,
    isBulk,
  }
}

const withChosen = ({ candidates }: ChoiceRule, { room }: SlotText) => sql`
  with recursive ${candidates(room)},
  chosen as (select * from candidate order by position limit ${room})`

const selectChoice = (rule: ChoiceRule, slots: SlotText) =>
  sql`(${withChosen(rule, slots)} select ${chosen.team_id}, ${chosen.id} from chosen)`

/** Chooses the emails of a claim and takes a slot for each, earlier in the claim's batch. */
const takeSlots = ({ db }: Pick<Work, "db">, rule: ChoiceRule, slots: SlotText) =>
  db.run(sql`
    ${insertInto(
      providerSlots,
      {
        provider: p.provider,
        nextSlot: sql`${p.slotsFrom} + time`,
        nextTransactionalSlot: sql`${p.slotsFrom} + ${slots.isBulk ? sql`0` : sql`time`}`,
        claimedBy: p.claim,
        chosen: sql`list`,
        lastTeam: sql`coalesce(${lastServed.last_team}, '')`,
        lastBulkTeam: sql`coalesce(${lastServed.last_bulk_team}, '')`,
        lastBatch: lastServed.last_batch,
      },
      sql`from (
        select list,
          ${slots.isBulk ? goingOn : sql`json_array_length(list)`} * ${p.intervalMs} as time
        from (
          select json_group_array(json_array(${chosen.team_id}, ${chosen.id})) as list from chosen)
      ), last_served where list <> '[]'`,
      {
        tables: sql`${withChosen(rule, slots)}, last_served (last_team, last_bulk_team, last_batch) as (${rule.lastServed})`,
      },
    )}
    on conflict do update set ${assignments(providerSlots, {
      nextSlot: addedTime(providerSlots.nextSlot),
      nextTransactionalSlot: addedTime(providerSlots.nextTransactionalSlot),
      claimedBy: excluded(providerSlots.claimedBy),
      chosen: excluded(providerSlots.chosen),
      lastTeam: unlessEmpty(providerSlots.lastTeam),
      lastBulkTeam: unlessEmpty(providerSlots.lastBulkTeam),
      lastBatch: sql`coalesce(${excluded(providerSlots.lastBatch)}, ${providerSlots.lastBatch})`,
    })}`)

const addedTime = (column: Column) =>
  sql`max(${inLine(column)}, ${p.slotsFrom}) + ${excluded(column)} - ${p.slotsFrom}`
const unlessEmpty = (column: Column) =>
  sql`iif(${excluded(column)} = '', ${column}, ${excluded(column)})`

/** Emails of a cancelled campaign take no slot. */
const goingOn = sql`(select count(*) from chosen
  cross join emails e on ${e.teamId} = ${chosen.team_id} and ${e.id} = ${chosen.id} and ${isGoingOn})`

const takeLease = ({ db }: Pick<Work, "db">, isDue: SQL | undefined) =>
  db
    .update(emails)
    .set({
      status: "sending",
      attempts: sql`${emails.attempts} + 1`,
      unanswered: sql`${emails.unanswered} + 1`,
      claimedBy: sql`${p.claim}`,
      notBefore: sql`${p.lease}`,
      dueAt: sql`coalesce(${emails.dueAt}, max(${emails.createdAt}, ${p.now}))`,
    })
    .where(isDue)
    .returning()

/** Moves the teams' scheduled mail that is due into the line of transactional mail. */
const releaseScheduled = ({ db }: Pick<Work, "db">) =>
  db.run(sql`
    update emails set ${assignments(emails, { status: "queued" })}
    where (${emails.teamId}, ${emails.id}) in (
      select t.value, x.value from json_each(${p.teams}) t
      cross join ${limitedPerOwner(
        sql`select ${e.id} as value from ${OPEN_EMAILS}
          where ${isOpen(PRIORITIES.scheduled)} and ${e.teamId} = t.value and ${e.notBefore} <= ${p.dueBy}
          order by ${e.notBefore}`,
        sql`${p.releasedOfEach}`,
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
}

const blocked = blockingSuppressions({
  team: sql`${e.teamId}`,
  addresses: sql`select distinct value ->> 'address' as address,
    (value ->> 'hash') || ${ERASED_HOST} as erased from json_each(${e.recipients})`,
  override: sql`${e.overrideSuppression}`,
})

const hasDomain = sql`exists (
  select 1 from ${domains} where ${domains.teamId} = ${e.teamId} and ${domains.id} = ${e.domainId}
    and ${domains.status} <> 'failed')`

/** Read at send time: suppressions, the domain and the team's tracking settings. */
const selectFindings = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db.all<Finding>(sql`
    select ${e.id}, ${blocked} as blocked, ${hasDomain} as hasDomain,
      coalesce(${e.trackOpens}, ${teams.trackOpens}) as opens,
      coalesce(${e.trackClicks}, ${teams.trackClicks}) as clicks
    from emails e join ${teams} on ${teams.id} = ${e.teamId}
    where (${e.teamId}, ${e.id}) in ${asked} and ${e.status} = 'sending'`)

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
