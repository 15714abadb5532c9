import { sql } from "drizzle-orm"
import { chunk } from "../../lib/chunk.ts"
import { DAY_MS } from "../../lib/time.ts"
import { contactEvents } from "../contact-events/table.ts"
import { emailEvents, emailRecipients, emails } from "../emails/table.ts"
import type { TeamId, Work } from "../platform/context.ts"
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

/** By contact: of each condition on what happened, whether it holds, apart from its `not`. */
export async function readHappenings(
  work: Work,
  team: TeamId,
  conditions: readonly Condition[],
  contacts: readonly { id: string; email: string }[],
): Promise<Map<string, boolean[]>> {
  const activities = conditions.filter(({ activity }) => activity !== undefined)
  const events = conditions.filter(({ event }) => event !== undefined)
  const addresses = contacts.map(({ email }) => email)
  const byAddress = await readActivities(work, team, activities, addresses)
  const byContact = await readEvents(work, team, events, contacts)
  return new Map(
    contacts.map(({ id, email }) => [
      id,
      conditions.map((one) =>
        one.event === undefined
          ? Boolean(byAddress.get(email)?.[activities.indexOf(one)])
          : Boolean(byContact.get(id)?.has(events.indexOf(one))),
      ),
    ]),
  )
}

const CONTACTS_READ = 1_000

/** By contact: the positions of the events that it has often enough. */
async function readEvents(
  work: Work,
  team: TeamId,
  events: readonly Condition[],
  contacts: readonly { id: string }[],
): Promise<Map<string, Set<number>>> {
  const found = new Map<string, Set<number>>()
  if (events.length === 0) return found
  const wanted = JSON.stringify(
    events.map(({ event, count = 1, withinDays }) => [event, count, since(work, withinDays)]),
  )
  const [first = [], ...others] = chunk(
    contacts.map(({ id }) => id),
    CONTACTS_READ,
  )
  const select = (ids: readonly string[]) =>
    work.db.all<{ contactId: string; position: number }>(sql`
      select ${contactEvents.contactId} as contactId, a.key as position
      from json_each(${JSON.stringify(ids)}) x
      cross join contact_events on ${contactEvents.teamId} = ${team}
        and ${contactEvents.contactId} = x.value
      cross join json_each(${wanted}) a
      where ${contactEvents.name} = a.value ->> 0 and ${contactEvents.at} >= a.value ->> 2
      group by ${contactEvents.contactId}, a.key having count(*) >= max(a.value ->> 1)`)
  for (const { contactId, position } of (
    await work.db.batch([select(first), ...others.map(select)])
  ).flat()) {
    found.set(contactId, (found.get(contactId) ?? new Set()).add(position))
  }
  return found
}

const since = ({ now }: Work, withinDays: number | undefined) =>
  withinDays === undefined ? 0 : now() - withinDays * DAY_MS

/** By address: of each activity, whether the timelines of campaigns' mail to it have it. */
async function readActivities(
  work: Work,
  team: TeamId,
  activities: readonly Condition[],
  addresses: readonly string[],
): Promise<Map<string, boolean[]>> {
  const happened = new Map(addresses.map((address) => [address, activities.map(() => false)]))
  if (activities.length === 0) return happened
  const wanted = JSON.stringify(
    activities.map(({ activity = "", campaignId, withinDays }) => [
      EVENTS_OF[activity],
      campaignId ?? null,
      since(work, withinDays),
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
function selectActivities(work: Work, team: TeamId, wanted: string, asked: readonly Asked[]) {
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
    cross join emails on ${emails.teamId} = ${team} and ${emails.id} = ${emailRecipients.emailId}
      and ${emails.campaignId} is not null
    cross join ${emailEvents} on ${emailEvents.teamId} = ${team} and ${emailEvents.emailId} = ${emails.id}
    cross join json_each(${wanted}) a
    where ${emailEvents.type} in (select value from json_each(a.value -> 0))
      and coalesce(a.value ->> 1, ${emails.campaignId}) = ${emails.campaignId}
      and ${emailEvents.occurredAt} >= a.value ->> 2`)
}
