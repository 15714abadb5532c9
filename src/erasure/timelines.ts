import { sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import { jsonMembersOf, jsonRowChunks, membersOf } from "../db/json-rows.ts"
import type { Work } from "../env.ts"
import { rewriteEvents } from "../events/rewrite.ts"
import type { Eraser } from "./erased-email.ts"

const ENTRIES_A_ROUND = 500

interface Timelines {
  teamId: string
  eraser: Eraser
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
  news: string
}

/** Rewrites emails' timelines, and the webhooks' events with the same ids. */
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
  type Row = (typeof rows)[number]
  const x = membersOf<Row>()
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
    ...jsonRowChunks(rows).map((chunk) =>
      work.db.run(sql`
        update email_events as v set data = ${jsonMembersOf<Row>().data} from ${chunk}
        where v.team_id = ${x.teamId} and v.email_id = ${x.emailId} and v.id = ${x.id}`),
    ),
    ...rewriteEvents(work, teamId, told),
  ]
}
