import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import { jsonChunks } from "../lib/json.ts"
import type { Eraser } from "./erased-email.ts"
import { rewriteEvents } from "./webhook-events.ts"

const ENTRIES_A_ROUND = 500

interface Timelines {
  teamId: string
  eraser: Eraser
  /** The emails, and their subjects where they are not those they had. */
  subjects: ReadonlyMap<string, string | undefined>
}

interface Entry {
  emailId: string
  id: string
  data: string
  /** What webhooks were told of it, if that is still kept: the event has the entry's id. */
  sequence: number | null
  createdAt: number
  news: string
}

/** Rewrites emails' timelines, and what webhooks were told of their entries. */
export async function eraseTimelines(work: Work, timelines: Timelines): Promise<void> {
  let after: Pick<Entry, "emailId" | "id"> = { emailId: "", id: "" }
  for (;;) {
    const entries = await selectEntries(work, timelines, after)
    const [first, ...more] = rewrites(work, timelines, entries)
    if (first) await work.db.batch([first, ...more])
    const last = entries.at(-1)
    if (!last || entries.length < ENTRIES_A_ROUND) return
    after = last
  }
}

function selectEntries(
  work: Work,
  { teamId, subjects }: Timelines,
  after: Pick<Entry, "emailId" | "id">,
) {
  const ids = [...subjects.keys()].filter((id) => id >= after.emailId)
  return work.db.all<Entry>(sql`
    select v.email_id as emailId, v.id, v.data, n.sequence, n.created_at as createdAt,
      n.data as news
    from json_each(${JSON.stringify(ids)}) x
    cross join email_events v on v.team_id = ${teamId} and v.email_id = x.value
      and (v.email_id > ${after.emailId} or v.id > ${after.id})
    left join events n on n.team_id = v.team_id and n.id = v.id
    order by v.email_id, v.id limit ${ENTRIES_A_ROUND}`)
}

function rewrites(
  work: Work,
  { teamId, eraser, subjects }: Timelines,
  entries: readonly Entry[],
): Query[] {
  const rows = entries.map(({ emailId, id, data }) => ({
    teamId,
    emailId,
    id,
    data: eraser.eraseReport(JSON.parse(data)),
  }))
  const told = entries.flatMap(({ emailId, id, sequence, createdAt, news }) =>
    sequence === null
      ? []
      : {
          id,
          sequence,
          createdAt,
          data: eraser.eraseNews(JSON.parse(news), subjects.get(emailId)),
        },
  )
  return [
    ...jsonChunks(rows).map((chunk) => work.db.run(writeEntries(chunk))),
    ...rewriteEvents(work, teamId, told),
  ]
}

const writeEntries = (chunk: string): SQL => sql`
  update email_events as v set data = x.value -> 'data' from json_each(${chunk}) x
  where v.team_id = x.value ->> 'teamId' and v.email_id = x.value ->> 'emailId' and v.id = x.value ->> 'id'`
