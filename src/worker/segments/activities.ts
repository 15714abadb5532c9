import { sql } from "drizzle-orm"
import { chunk } from "../../lib/chunk.ts"
import { DAY_MS } from "../../lib/time.ts"
import { e, emailEvents, emailRecipients } from "../emails/table.ts"
import type { Ctx, Work } from "../platform/context.ts"
import type { Condition } from "./filter.ts"

/** One statement reads the mail of so many addresses, and so many emails of all of them together. */
const ADDRESSES_READ = 250
const EMAILS_READ = 5_000

const EVENTS_OF: Record<string, readonly string[]> = {
  sent: ["sent"],
  opened: ["opened", "clicked"],
  clicked: ["clicked"],
}

/** An address, and the email before which to go on. */
type Asked = [address: string, below: string | null]

/** By address: of each activity, whether the timelines of campaigns' mail to it have it. */
export async function readActivities(
  work: Work,
  team: Ctx["team"] | string,
  activities: readonly Condition[],
  addresses: readonly string[],
): Promise<Map<string, boolean[]>> {
  const happened = new Map(addresses.map((address) => [address, activities.map(() => false)]))
  if (activities.length === 0) return happened
  const wanted = JSON.stringify(
    activities.map(({ activity = "", campaignId, withinDays }) => [
      EVENTS_OF[activity],
      campaignId ?? null,
      withinDays === undefined ? 0 : work.now() - withinDays * DAY_MS,
    ]),
  )
  let asked = addresses.map((address): Asked => [address, null])
  while (asked.length > 0) {
    const [first = [], ...others] = chunk(asked, ADDRESSES_READ)
    const select = (part: Asked[]) => selectActivities(work, team, wanted, part)
    const found = (await work.db.batch([select(first), ...others.map(select)])).flat()
    for (const { address, position } of found) {
      const of = happened.get(address)
      if (of && position !== null) of[position] = true
    }
    asked = found.flatMap(({ address, last }): Asked[] =>
      last !== null && happened.get(address)?.includes(false) ? [[address, last]] : [],
    )
  }
  return happened
}

/** Reads the newest emails of each address: what they have of the activities, and where others follow. */
function selectActivities(
  work: Work,
  team: Ctx["team"] | string,
  wanted: string,
  asked: readonly Asked[],
) {
  const emailsOfEach = Math.floor(EMAILS_READ / asked.length)
  const isBelow = sql`${emailRecipients.teamId} = ${team} and ${emailRecipients.address} = x.address
    and ${emailRecipients.emailId} < coalesce(x.below, '~')`
  return work.db.all<{ address: string; position: number | null; last: string | null }>(sql`
    with asked as (
      select value ->> 0 as address, value ->> 1 as below from json_each(${JSON.stringify(asked)})
    ),
    x as materialized (
      select address, below, (
        select ${emailRecipients.emailId} from ${emailRecipients} where ${isBelow}
        order by ${emailRecipients.emailId} desc limit 1 offset ${emailsOfEach - 1}
      ) as last
      from asked x
    )
    select address, null as position, last from x where last is not null
    union all
    select distinct x.address, a.key, null
    from x
    cross join ${emailRecipients} on ${isBelow} and ${emailRecipients.emailId} >= coalesce(x.last, '')
    cross join emails e on ${e.teamId} = ${team} and ${e.id} = ${emailRecipients.emailId}
      and ${e.campaignId} is not null
    cross join ${emailEvents} on ${emailEvents.teamId} = ${team} and ${emailEvents.emailId} = ${e.id}
    cross join json_each(${wanted}) a
    where ${emailEvents.type} in (select value from json_each(a.value -> 0))
      and coalesce(a.value ->> 1, ${e.campaignId}) = ${e.campaignId}
      and ${emailEvents.occurredAt} >= a.value ->> 2`)
}
