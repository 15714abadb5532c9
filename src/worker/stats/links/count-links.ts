import { type SQL, sql } from "drizzle-orm"
import { newEvent as f } from "../../emails/outcomes/new-events.ts"
import { emailEvents } from "../../emails/table.ts"
import { assignments, columnsOf, excluded, insertInto } from "../../platform/db/columns.ts"
import { linkClicks } from "../table.ts"
import { MAX_LINKS } from "./contract.ts"

/** The same link for every recipient: an address in the URL is left out, however often it is encoded. */
export const linkOf = (url: string): string =>
  url
    .split(/([/?&=#;,])/)
    .map((part) => (/@|%(?:25)*40/.test(part) ? "{address}" : part))
    .join("")

const clicked = columnsOf<"team_id" | "owner_id" | "email_id" | "link" | "is_repeat">("clicked")

/** The email's timeline has a click on the same URL. */
const isRepeat = sql`exists (
  select 1 from ${emailEvents}
  where ${emailEvents.teamId} = ${f.team_id} and ${emailEvents.emailId} = ${f.email_id}
    and ${emailEvents.type} = 'clicked' and ${emailEvents.data} ->> 'url' = ${f.data} ->> 'url')`

const isOfOwner = sql`${linkClicks.teamId} = ${clicked.team_id}
  and ${linkClicks.ownerId} = ${clicked.owner_id}`
const countedUrl = sql`case
  when exists (select 1 from link_clicks where ${isOfOwner} and ${linkClicks.url} = ${clicked.link})
    then ${clicked.link}
  when (select count(*) from (select 1 from link_clicks where ${isOfOwner}
      limit ${sql.raw(String(MAX_LINKS))})) < ${sql.raw(String(MAX_LINKS))}
    then ${clicked.link}
  else '' end`

/** Counts new clicks by link, for the campaign of the email, or else for its template. */
export const countLinks = (newEvents: SQL) => sql`
  ${insertInto(
    linkClicks,
    {
      teamId: clicked.team_id,
      ownerId: clicked.owner_id,
      url: countedUrl,
      clicks: sql`count(*)`,
      recipients: sql`count(distinct iif(${clicked.is_repeat}, null, ${clicked.email_id}))`,
    },
    sql`from (
      select ${f.team_id}, coalesce(${f.campaign_id}, ${f.template_id}) as owner_id,
        ${f.email_id}, ${f.link}, ${isRepeat} as is_repeat
      from new_events where ${f.type} = 'clicked' and ${f.data} ->> 'url' is not null
    ) as clicked
    where ${clicked.owner_id} is not null group by ${sql.raw("1, 2, 3")}`,
    { tables: sql`with ${newEvents}` },
  )}
  on conflict do update set ${assignments(linkClicks, {
    clicks: sql`${linkClicks.clicks} + ${excluded(linkClicks.clicks)}`,
    recipients: sql`${linkClicks.recipients} + ${excluded(linkClicks.recipients)}`,
  })}`
