import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm"
import { DAY_MS } from "../../lib/time.ts"
import { contactColumns, contacts } from "../contacts/table.ts"
import { e, emailEvents, emailRecipients } from "../emails/table.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { s } from "../suppressions/table.ts"
import type { Condition, SegmentFilter } from "./filter.ts"
import { activitiesOf, createMatcher } from "./matches.ts"

/** Contacts that the first statement reads: nobody knows yet how large they are. */
export const FIRST_READ = 250
/** A further statement reads at most so many contacts, and about so many bytes of properties. */
const MOST_READ = 1_000
const BYTES_READ = 1_000_000

export interface Place {
  /** The last contact that was read. */
  below: string | undefined
  /** How many contacts to read. */
  size: number
}

/** Contacts of a book, newest first, of which `keepMembers` keeps some. */
export const selectCandidates = (
  work: Work,
  team: Ctx["team"] | string,
  bookId: string | SQL,
  { below, size }: Place,
) =>
  work.db
    .select({
      ...contactColumns,
      // Drizzle leaves out the table's name, which the inner query needs.
      isSuppressed: sql<0 | 1>`exists (select 1 from suppressions s
        where ${s.teamId} = ${team} and ${s.email} = contacts.email)`.as("is_suppressed"),
      bytes: sql<number>`octet_length(${contacts.properties})`.as("bytes"),
    })
    .from(contacts)
    .where(
      and(
        eq(contacts.teamId, team),
        eq(contacts.bookId, bookId),
        below === undefined ? undefined : lt(contacts.id, below),
      ),
    )
    .orderBy(desc(contacts.id))
    .limit(size)

export type Candidate = Awaited<ReturnType<typeof selectCandidates>>[number]

/** Where the next statement goes on, and how far; nothing at the end of the book. */
export function placeAfter(candidates: readonly Candidate[], { size }: Place): Place | undefined {
  const last = candidates.at(-1)
  if (!last || candidates.length < size) return undefined
  const bytes = candidates.reduce((sum, one) => sum + one.bytes, 0)
  const fitting = Math.ceil((candidates.length * BYTES_READ) / bytes)
  return { below: last.id, size: Math.min(MOST_READ, fitting) }
}

/** The contacts that a filter matches, in their order. */
export async function keepMembers<T extends Parameters<ReturnType<typeof createMatcher>>[0]>(
  work: Work,
  team: Ctx["team"] | string,
  filter: SegmentFilter,
  candidates: readonly T[],
): Promise<T[]> {
  const matches = createMatcher(filter)
  const activities = activitiesOf(filter)
  const happened = await readActivities(work, team, activities, candidates)
  return candidates.filter((contact) => matches(contact, happened.get(contact.email)))
}

/** Addresses whose mail one statement reads. */
const ADDRESSES_READ = 250

const EVENTS_OF: Record<string, readonly string[]> = {
  sent: ["sent"],
  opened: ["opened", "clicked"],
  clicked: ["clicked"],
}

/** By address: of each activity, whether the timelines of campaigns' mail to it have it. */
async function readActivities(
  work: Work,
  team: Ctx["team"] | string,
  activities: readonly Condition[],
  candidates: readonly { email: string }[],
): Promise<Map<string, boolean[]>> {
  if (activities.length === 0) return new Map()
  const asked = JSON.stringify(
    activities.map(({ activity = "", campaignId, withinDays }) => [
      EVENTS_OF[activity],
      campaignId ?? null,
      withinDays === undefined ? 0 : work.now() - withinDays * DAY_MS,
    ]),
  )
  const parts = Array.from({ length: Math.ceil(candidates.length / ADDRESSES_READ) }, (_, part) =>
    JSON.stringify(
      candidates
        .slice(part * ADDRESSES_READ, (part + 1) * ADDRESSES_READ)
        .map(({ email }) => email),
    ),
  )
  const [first, ...more] = parts.map((addresses) => selectActivities(work, team, asked, addresses))
  if (!first) return new Map()
  const found = (await work.db.batch([first, ...more])).flat()
  const happened = new Map<string, boolean[]>()
  for (const { address, position } of found) {
    const of = happened.get(address) ?? activities.map(() => false)
    of[position] = true
    happened.set(address, of)
  }
  return happened
}

const selectActivities = (
  work: Work,
  team: Ctx["team"] | string,
  asked: string,
  addresses: string,
) =>
  work.db.all<{ address: string; position: number }>(sql`
    select distinct x.value as address, a.key as position
    from json_each(${addresses}) x
    cross join ${emailRecipients}
      on ${emailRecipients.teamId} = ${team} and ${emailRecipients.address} = x.value
    cross join emails e on ${e.teamId} = ${team} and ${e.id} = ${emailRecipients.emailId}
      and ${e.campaignId} is not null
    cross join ${emailEvents} on ${emailEvents.teamId} = ${team} and ${emailEvents.emailId} = ${e.id}
    cross join json_each(${asked}) a
    where ${emailEvents.type} in (select value from json_each(a.value -> 0))
      and coalesce(a.value ->> 1, ${e.campaignId}) = ${e.campaignId}
      and ${emailEvents.occurredAt} >= a.value ->> 2`)
