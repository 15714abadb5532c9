import { type SQL, sql } from "drizzle-orm"
import { itsTopic, wantsTopic } from "../../campaigns/sending/wants-topic.ts"
import { v } from "../../contact-events/table.ts"
import type { Properties, TopicChoices } from "../../contacts/shapes.ts"
import { b, c } from "../../contacts/table.ts"
import type { Work } from "../../platform/context.ts"
import { distinctIds, limitedPerOwner } from "../../platform/db/per-owner.ts"
import { s } from "../../suppressions/table.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { q, r } from "../table.ts"

export const RUNS_A_PAGE = 200
const TEAMS_A_PAGE = 100

/** A run beside its contact, as it is now. */
export interface DueRun {
  teamId: string
  id: string
  sequenceId: string
  contactId: string
  bookId: string
  version: number
  stepKey: string | null
  since: number
  visit: number
  waitsFor: string | null
  startedAt: number
  replied: 0 | 1
  contact: DueContact | null
  wantsTopic: boolean
  isSuppressed: boolean
  hasEvent: boolean
}

export interface DueContact {
  id: string
  email: string
  firstName: string | null
  lastName: string | null
  properties: Properties
  subscribed: boolean
  unsubscribeReason: string | null
  unsubscribedAt: number | null
  confirmation: "pending" | "confirmed" | null
  confirmedAt: number | null
  createdAt: number
  updatedAt: number
  topics: TopicChoices
}

type Row = Omit<DueRun, "contact" | "wantsTopic" | "isSuppressed" | "hasEvent"> & {
  contact: string | null
  wantsTopic: 0 | 1 | null
  isSuppressed: 0 | 1
  hasEvent: 0 | 1
}

/** Due runs of teams that take turns: the first of each team, then the second of each. */
export const readDueRuns = (work: Work): Promise<DueRun[]> => {
  const isDue = sql`${r.teamId} = ready.id and ${r.dueAt} <= ${work.now()}`
  const share = sql`(
    select cast((${RUNS_A_PAGE} + count(*) - 1) / max(1, count(*)) as integer) from ready)`
  return readRuns(
    work,
    sql`with recursive ${distinctIds(
      "team",
      (after) => sql`(select ${r.teamId} from sequence_runs r indexed by sequence_runs_due
        where ${r.dueAt} is not null and ${r.teamId} > ${after} order by ${r.teamId} limit 1)`,
    )},
    ready (id) as materialized (
      select team.id from team where team.id is not null and team.id not in (${FENCED_TEAMS})
        and exists (select 1 from sequence_runs r where ${r.teamId} = team.id and ${r.dueAt} <= ${work.now()})
      limit ${TEAMS_A_PAGE})`,
    sql`ready cross join ${limitedPerOwner(
      sql`select ${r.id} as value from sequence_runs r where ${isDue} order by ${r.dueAt}`,
      share,
    )} x
    cross join sequence_runs r on ${r.teamId} = ready.id and ${r.id} = x.value`,
    sql`order by x.key limit ${RUNS_A_PAGE}`,
  )
}

export const readRun = async (work: Work, teamId: string, id: string) => {
  const isRun = sql`${r.teamId} = ${teamId} and ${r.id} = ${id} and ${r.state} <> 'done'`
  const [run] = await readRuns(work, sql``, sql`sequence_runs r`, sql``, isRun)
  return run
}

/** `from` has the runs as `r`. */
async function readRuns(work: Work, tables: SQL, from: SQL, page: SQL, condition = sql`true`) {
  const rows = await work.db.all<Row>(sql`
    ${tables}
    select ${r.teamId} as teamId, ${r.id}, ${r.sequenceId} as sequenceId, ${r.contactId} as contactId,
      ${q.bookId} as bookId, ${r.version}, ${r.stepKey} as stepKey, ${r.since}, ${r.visit},
      ${r.waitsFor} as waitsFor, ${r.startedAt} as startedAt, ${r.replied},
      iif(${c.id} is null, null, json_object('id', ${c.id}, 'email', ${c.email},
        'firstName', ${c.firstName}, 'lastName', ${c.lastName}, 'properties', json(${c.properties}),
        'subscribed', ${c.subscribed}, 'unsubscribeReason', ${c.unsubscribeReason},
        'unsubscribedAt', ${c.unsubscribedAt}, 'confirmation', ${c.confirmation},
        'confirmedAt', ${c.confirmedAt}, 'createdAt', ${c.createdAt},
        'updatedAt', ${c.updatedAt}, 'topics', json(${c.topics}))) as contact,
      ${wantsTopic(q.topicId)} as wantsTopic,
      exists (select 1 from suppressions s
        where ${s.teamId} = ${r.teamId} and ${s.email} = ${c.email}) as isSuppressed,
      ${r.waitsFor} is not null and exists (select 1 from contact_events v
        where ${v.teamId} = ${r.teamId} and ${v.contactId} = ${r.contactId}
          and ${v.name} = ${r.waitsFor} and ${v.at} > ${r.since}) as hasEvent
    from ${from}
    left join sequences q on ${q.teamId} = ${r.teamId} and ${q.id} = ${r.sequenceId}
    ${itsTopic(q.teamId, q.topicId)}
    left join contacts c
      on ${c.teamId} = ${r.teamId} and ${c.bookId} = ${q.bookId} and ${c.id} = ${r.contactId}
        and exists (select 1 from contact_books b where ${b.teamId} = ${r.teamId} and ${b.id} = ${q.bookId})
    where ${condition}
    ${page}`)
  return rows.map(
    (row): DueRun => ({
      ...row,
      contact: row.contact === null ? null : toContact(JSON.parse(row.contact)),
      wantsTopic: Boolean(row.wantsTopic),
      isSuppressed: Boolean(row.isSuppressed),
      hasEvent: Boolean(row.hasEvent),
    }),
  )
}

const toContact = (row: DueContact): DueContact => ({ ...row, subscribed: Boolean(row.subscribed) })
