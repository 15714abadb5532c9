import { type SQL, sql } from "drizzle-orm"
import { domains } from "../../domains/table.ts"
import type { Work } from "../../platform/context.ts"
import { inboxes } from "../table.ts"

export interface LocalInbox {
  address: string
  teamId: string
  inboxId: string
}

/** The inboxes of this database that take mail to these addresses: an own one before a catch-all. */
export const selectInboxesOf = ({ db }: Work, addresses: readonly string[]) =>
  db.all<LocalInbox>(sql`
    select x.value as address, ${inboxes.teamId} as teamId, ${inboxes.id} as inboxId
    from json_each(${JSON.stringify(addresses)}) x
    cross join ${inboxes}
      on ${inboxes.address} in (x.value, '*' || substr(x.value, instr(x.value, '@')))
    join ${domains} on ${domains.teamId} = ${inboxes.teamId} and ${domains.id} = ${inboxes.domainId}
    where ${inboxes.deletedAt} is null and ${domains.status} = 'verified'
      and ${domains.receiving} ->> 'mode' <> 'off'
    order by ${inboxes.address} = x.value desc`)

/** A condition: the inbox is there, and is not being deleted. */
export const isLiveInbox = (teamId: SQL | string, id: SQL) => sql`exists (
  select 1 from inboxes
  where ${inboxes.teamId} = ${teamId} and ${inboxes.id} = ${id} and ${inboxes.deletedAt} is null)`
