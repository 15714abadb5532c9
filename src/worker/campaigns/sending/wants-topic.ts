import { type SQLWrapper, sql } from "drizzle-orm"
import { contacts } from "../../contacts/table.ts"
import { topics } from "../../topics/table.ts"

/** For a join of a campaign: its topic. */
export const itsTopic = (teamId: SQLWrapper, topicId: SQLWrapper) =>
  sql`left join topics on ${topics.teamId} = ${teamId} and ${topics.id} = ${topicId}`

/** Whether a contact gets mail of a campaign's topic. Nobody gets mail of a deleted topic. */
export const wantsTopic = (topicId: SQLWrapper) =>
  sql`(${topicId} is null or coalesce(${contacts.topics} ->> ${topics.id},
    ${topics.default} = 'subscribed'))`
