import { type SQLWrapper, sql } from "drizzle-orm"
import { c } from "../../contacts/table.ts"
import { t } from "../../topics/table.ts"

/** For a join of a campaign: its topic as `t`. */
export const itsTopic = (teamId: SQLWrapper, topicId: SQLWrapper) =>
  sql`left join topics t on ${t.teamId} = ${teamId} and ${t.id} = ${topicId}`

/** Whether a contact `c` gets mail of a campaign's topic. Nobody gets mail of a deleted topic. */
export const wantsTopic = (topicId: SQLWrapper) =>
  sql`(${topicId} is null or coalesce(${c.topics} ->> ${t.id}, ${t.default} = 'subscribed'))`
