import { chunkBySize } from "../../../lib/chunk.ts"
import type { Work } from "../../platform/context.ts"
import { commit, type Statement, withDeferred } from "../../platform/db/commit.ts"
import { databaseEnv, databaseNumber, hasOthers } from "../../platform/db/databases.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { isTeamMoving } from "../../platform/http/errors.ts"
import { newPublication } from "../../stream/outbox.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { databasesOf } from "../../teams/moving/team-database.ts"
import { teams } from "../../teams/table.ts"
import { deliveryTimes } from "../../webhooks/events/new-deliveries.ts"
import { teamsOf } from "../../webhooks/events/store.ts"
import { hasHits } from "./daily-limit.ts"
import { enqueueOutcomes } from "./queue.ts"
import { type EventRow, toRow, WRITES } from "./record.sql.ts"
import type { EmailReport } from "./report.ts"
import { suppressedBy } from "./suppress.ts"

/** D1 binds 2 MB a value, and everybody waits for a batch: an event may cause 50 deliveries. */
const RECORDED_AT_ONCE = { count: 100, bytes: 400_000 }
/** Most teams are copied within seconds. */
const AGAIN_AFTER_SECONDS = 10

/**
 * Records events with everything that follows from them. Up to 100 are one batch; `alongside` joins
 * the last one.
 */
export const recordEvents = (
  work: Work,
  events: readonly EmailReport[],
  alongside: readonly Statement[] = [],
): Promise<void> =>
  withDeferred(work, async (work) => {
    const distinct = new Map(
      events.map((event) => [`${event.teamId} ${event.emailId} ${event.id}`, event]),
    )
    const parts = chunkBySize([...distinct.values()], RECORDED_AT_ONCE)
    const last = parts.pop() ?? []
    for (const part of parts) await recordPart(work, part)
    if (last.length > 0 || alongside.length > 0) await recordPart(work, last, alongside)
  })

/** Reports of a team that is moving, or has moved, go back into the queue. */
async function recordPart(
  work: Work,
  events: readonly EmailReport[],
  alongside: readonly Statement[] = [],
): Promise<void> {
  try {
    const elsewhere = await commitPart(work, events, alongside)
    await forwardReports(work, elsewhere, { isFenced: false })
  } catch (error) {
    if (!isTeamMoving(error)) throw error
    const fences = await readFencedTeams(work)
    const { fenced = [], others = [] } = Object.groupBy(events, ({ teamId }) =>
      fences.has(teamId) ? "fenced" : "others",
    )
    await forwardReports(work, fenced, { isFenced: true })
    const elsewhere = await commitPart(work, others, alongside)
    await forwardReports(work, elsewhere, { isFenced: false })
  }
}

/** Answers the events of teams that are not here. */
async function commitPart(
  work: Work,
  events: readonly EmailReport[],
  alongside: readonly Statement[],
): Promise<readonly EmailReport[]> {
  if (events.length === 0) {
    await commit(work, { alongside })
    return []
  }
  const rows = events.map((event) => toRow(work, event))
  const here = hasOthers(work.env) ? [selectTeamsHere(work, teamsOf(rows))] : []
  const recorded = await commit(work, { ...recording(work, rows), alongside, here })
  const found = recorded.here[0]
  if (!found) return []
  const isHere = new Set(found.map(({ id }) => id))
  return events.filter(({ teamId }) => !isHere.has(teamId))
}

/** The same as statements of a batch, for a few events. */
export const recordingOf = (work: Work, events: readonly EmailReport[]) =>
  recording(
    work,
    events.map((event) => toRow(work, event)),
  )

/**
 * The statements that record events: webhook deliveries, counters, status by rank, suppressions, the
 * timeline, and changes for the stream. An event on the timeline changes nothing. The timeline is
 * written last, so every statement before it can leave out the events that stand there.
 */
function recording(work: Work, rows: readonly EventRow[]) {
  const isConditional = hasHits(rows) || rows.some(({ unlessClaimed }) => unlessClaimed)
  const isTransactional = rows.every((row) => row.isTransactional)
  return WRITES[isConditional ? "some" : "all"][isTransactional ? "transactional" : "any"](work, {
    rows: JSON.stringify(rows),
    suppressed: JSON.stringify(suppressedBy(work, rows)),
    teamIds: teamsOf(rows),
    publication: newPublication(work),
    ...deliveryTimes(work.now()),
  })
}

const readFencedTeams = async (work: Work): Promise<Set<string>> => {
  const rows = await work.db.all<{ team_id: string }>(FENCED_TEAMS)
  return new Set(rows.map((row) => row.team_id))
}

/** Of the teams in a list, those that are in this database. */
const selectTeamsHere = ({ db }: Pick<Work, "db">, teamIds: string) =>
  db
    .select({ id: teams.id })
    .from(teams)
    .where(isOneOf(teams.id, JSON.parse(teamIds) as string[]))

/** Puts reports into the queue again: for the database where their team is now, or for later. */
async function forwardReports(
  work: Work,
  reports: readonly EmailReport[],
  { isFenced }: { isFenced: boolean },
): Promise<void> {
  if (reports.length === 0) return
  const numberOf = await databasesOf(
    work,
    reports.map(({ teamId }) => teamId),
  )
  const byDatabase = Map.groupBy(reports, ({ teamId }) => numberOf(teamId))
  for (const [number, ofDatabase] of byDatabase) {
    const isHere = number === databaseNumber(work.env)
    // Nobody knows the team: it was deleted.
    if (isHere && !isFenced) continue
    const delaySeconds = isHere ? AGAIN_AFTER_SECONDS : 0
    await enqueueOutcomes(databaseEnv(work.env, number), ofDatabase, delaySeconds)
  }
}
