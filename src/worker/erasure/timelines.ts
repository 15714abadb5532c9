import { sql } from "drizzle-orm"
import { inRounds } from "../../lib/rounds.ts"
import { untilWon } from "../../lib/until-won.ts"
import { rewriteEntries } from "../emails/rewrite.ts"
import { emailEvents } from "../emails/table.ts"
import type { Work } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { rewriteEvents } from "../webhooks/events/rewrite.ts"
import { events } from "../webhooks/events/table.ts"
import type { Eraser } from "./erased-email.ts"

const ROUNDS = { size: 500 }

interface Timelines {
  teamId: string
  eraser: Pick<Eraser, "eraseReport" | "eraseEventData">
  /** By email: its new subject, if it has one. */
  subjects: ReadonlyMap<string, string | undefined>
}

interface Entry {
  emailId: string
  id: string
  data: string
  /** Of the webhooks' event with the same id, if that is still kept. */
  sequence: number | null
  createdAt: number
  eventData: string
}

/**
 * Rewrites emails' timelines, and the webhooks' events with the same ids. What another erasure
 * changes meanwhile is read again.
 */
export const eraseTimelines = (work: Work, timelines: Timelines) =>
  inRounds(ROUNDS, (size, last?: Entry) =>
    untilWon(async () => {
      const entries = await selectEntries(work, timelines, size, last)
      return (await rewriteAll(work, timelines, entries)) ? entries : undefined
    }),
  )

function selectEntries(
  work: Work,
  { teamId, subjects }: Timelines,
  size: number,
  after: Pick<Entry, "emailId" | "id"> = { emailId: "", id: "" },
) {
  const ids = [...subjects.keys()].filter((id) => id >= after.emailId)
  return work.db.all<Entry>(sql`
    select ${emailEvents.emailId} as emailId, ${emailEvents.id}, ${emailEvents.data}, ${events.sequence},
      ${events.createdAt} as createdAt,
      ${events.data} as eventData
    from json_each(${JSON.stringify(ids)}) x
    cross join email_events on ${emailEvents.teamId} = ${teamId} and ${emailEvents.emailId} = x.value
      and (${emailEvents.emailId} > ${after.emailId} or ${emailEvents.id} > ${after.id})
    left join events on ${events.teamId} = ${emailEvents.teamId} and ${events.id} = ${emailEvents.id}
    order by ${emailEvents.emailId}, ${emailEvents.id} limit +${size}`)
}

/** False if some changed since they were read. */
async function rewriteAll(
  work: Work,
  { teamId, eraser, subjects }: Timelines,
  entries: readonly Entry[],
): Promise<boolean> {
  const rows = entries.map(({ emailId, id, data }) => ({
    teamId,
    emailId,
    id,
    before: data,
    data: eraser.eraseReport(JSON.parse(data)),
  }))
  const changed = entries.flatMap(({ emailId, id, sequence, createdAt, eventData }) =>
    sequence === null
      ? []
      : {
          id,
          sequence,
          createdAt,
          before: eventData,
          data: eraser.eraseEventData(JSON.parse(eventData), subjects.get(emailId)),
        },
  )
  const rewritten = await commit(work, {
    entries: rewriteEntries(work, rows),
    ...rewriteEvents(work, teamId, changed),
  })
  return (
    rewritten.entries.flat().length === rows.length &&
    rewritten.events.flat().length === changed.length
  )
}
