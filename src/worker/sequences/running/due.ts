import { type SQL, sql } from "drizzle-orm"
import { itsTopic, wantsTopic } from "../../campaigns/sending/wants-topic.ts"
import { contactEvents } from "../../contact-events/table.ts"
import type { Properties, TopicChoices } from "../../contacts/shapes.ts"
import { contactBooks, contacts } from "../../contacts/table.ts"
import type { Work } from "../../platform/context.ts"
import { distinctIds, limitedPerOwner } from "../../platform/db/per-owner.ts"
import { MIB } from "../../platform/http/input/body.ts"
import { suppressions } from "../../suppressions/table.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { sequenceRuns, sequences, sequenceVersions } from "../table.ts"

export const RUNS_A_PAGE = 200
const TEAMS_A_PAGE = 100
/** The most bytes of steps that a page has in memory. */
const STEPS_A_PAGE_BYTES = 8 * MIB

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
  dueAt: number | null
  replied: 0 | 1
  contact: DueContact | null
  wantsTopic: boolean
  isSuppressed: boolean
  hasEvent: boolean
  /** Of the steps of its sequence, and of those of its own older version. */
  stepsBytes: number
  oldStepsBytes: number
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
  const isDue = sql`${sequenceRuns.teamId} = ready.id and ${sequenceRuns.dueAt} <= ${work.now()}`
  const share = sql`(
    select cast((${RUNS_A_PAGE} + count(*) - 1) / max(1, count(*)) as integer) from ready)`
  return readRuns(
    work,
    sql`with recursive ${distinctIds(
      "team",
      (after) => sql`(select ${sequenceRuns.teamId} from sequence_runs indexed by sequence_runs_due
        where ${sequenceRuns.dueAt} is not null and ${sequenceRuns.teamId} > ${after}
          order by ${sequenceRuns.teamId} limit 1)`,
    )},
    ready (id) as materialized (
      select team.id from team where team.id is not null and team.id not in (${FENCED_TEAMS})
        and exists (select 1 from sequence_runs where ${sequenceRuns.teamId} = team.id
        and ${sequenceRuns.dueAt} <= ${work.now()})
      limit +${TEAMS_A_PAGE})`,
    sql`ready cross join ${limitedPerOwner(
      sql`select ${sequenceRuns.id} as value from sequence_runs where ${isDue}
        order by ${sequenceRuns.dueAt}`,
      share,
    )} x
    cross join sequence_runs on ${sequenceRuns.teamId} = ready.id and ${sequenceRuns.id} = x.value`,
    sql`order by x.key limit +${RUNS_A_PAGE}`,
  )
}

/** The first runs, and more while the steps that they need have room. Others stay due. */
export function withinSteps(runs: readonly DueRun[]): DueRun[] {
  const read = new Set<string>()
  let left = STEPS_A_PAGE_BYTES
  return runs.filter(({ sequenceId, version, stepsBytes, oldStepsBytes }, index) => {
    const old = `${sequenceId} ${version}`
    const bytes = (read.has(sequenceId) ? 0 : stepsBytes) + (read.has(old) ? 0 : oldStepsBytes)
    if (index > 0 && bytes > left) return false
    left -= bytes
    read.add(sequenceId).add(old)
    return true
  })
}

export const readRun = async (work: Work, teamId: string, id: string) => {
  const isRun = sql`${sequenceRuns.teamId} = ${teamId} and ${sequenceRuns.id} = ${id}
    and ${sequenceRuns.state} <> 'done'`
  const [run] = await readRuns(work, sql``, sql`sequence_runs`, sql``, isRun)
  return run
}

/** `from` has the runs. */
async function readRuns(work: Work, tables: SQL, from: SQL, page: SQL, condition = sql`true`) {
  const rows = await work.db.all<Row>(sql`
    ${tables}
    select ${sequenceRuns.teamId} as teamId, ${sequenceRuns.id}, ${sequenceRuns.sequenceId} as sequenceId,
      ${sequenceRuns.contactId} as contactId,
      ${sequences.bookId} as bookId, ${sequenceRuns.version}, ${sequenceRuns.stepKey} as stepKey,
        ${sequenceRuns.since}, ${sequenceRuns.visit},
      ${sequenceRuns.waitsFor} as waitsFor, ${sequenceRuns.startedAt} as startedAt,
        ${sequenceRuns.dueAt} as dueAt, ${sequenceRuns.replied},
      iif(${contacts.id} is null, null, json_object('id', ${contacts.id}, 'email', ${contacts.email},
        'firstName', ${contacts.firstName}, 'lastName', ${contacts.lastName}, 'properties',
          json(${contacts.properties}),
        'subscribed', ${contacts.subscribed}, 'unsubscribeReason', ${contacts.unsubscribeReason},
        'unsubscribedAt', ${contacts.unsubscribedAt}, 'confirmation', ${contacts.confirmation},
        'confirmedAt', ${contacts.confirmedAt}, 'createdAt', ${contacts.createdAt},
        'updatedAt', ${contacts.updatedAt}, 'topics', json(${contacts.topics}))) as contact,
      ${wantsTopic(sequences.topicId)} as wantsTopic,
      exists (select 1 from suppressions
        where ${suppressions.teamId} = ${sequenceRuns.teamId}
          and ${suppressions.email} = ${contacts.email}) as isSuppressed,
      ${sequenceRuns.waitsFor} is not null and exists (
        select 1 from contact_events indexed by contact_events_contact
        where ${contactEvents.teamId} = ${sequenceRuns.teamId}
          and ${contactEvents.contactId} = ${sequenceRuns.contactId}
          and ${contactEvents.name} = ${sequenceRuns.waitsFor}
          and ${contactEvents.at} > ${sequenceRuns.since}) as hasEvent,
      ifnull(octet_length(${sequences.steps}), 0) as stepsBytes,
      iif(${sequenceRuns.version} = ${sequences.version}, 0, ifnull((
        select octet_length(${sequenceVersions.steps}) from sequence_versions
        where ${sequenceVersions.teamId} = ${sequenceRuns.teamId}
          and ${sequenceVersions.sequenceId} = ${sequenceRuns.sequenceId}
          and ${sequenceVersions.version} = ${sequenceRuns.version}), 0)) as oldStepsBytes
    from ${from}
    left join sequences on ${sequences.teamId} = ${sequenceRuns.teamId}
      and ${sequences.id} = ${sequenceRuns.sequenceId}
    ${itsTopic(sequences.teamId, sequences.topicId)}
    left join contacts
      on ${contacts.teamId} = ${sequenceRuns.teamId} and ${contacts.bookId} = ${sequences.bookId}
        and ${contacts.id} = ${sequenceRuns.contactId}
        and exists (select 1 from contact_books where ${contactBooks.teamId} = ${sequenceRuns.teamId}
        and ${contactBooks.id} = ${sequences.bookId})
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
