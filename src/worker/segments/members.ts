import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm"
import { contactColumns, contacts } from "../contacts/table.ts"
import type { TeamId, Work } from "../platform/context.ts"
import { suppressions } from "../suppressions/table.ts"
import { readHappenings } from "./activities.ts"
import type { SegmentFilter } from "./filter.ts"
import { type Compared, createMatcher, happeningsOf } from "./matches.ts"

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
  team: TeamId,
  bookId: string | SQL,
  { below, size }: Place,
) =>
  work.db
    .select({
      ...contactColumns,
      // Drizzle leaves out the table's name, which the inner query needs.
      isSuppressed: sql<0 | 1>`exists (select 1 from suppressions
        where ${suppressions.teamId} = ${team} and ${suppressions.email} = contacts.email)`.as(
        "is_suppressed",
      ),
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
export async function keepMembers<T extends Compared & { id: string }>(
  work: Work,
  team: TeamId,
  filter: SegmentFilter,
  candidates: readonly T[],
): Promise<T[]> {
  const matches = createMatcher(filter)
  const happened = await readHappenings(work, team, happeningsOf(filter), candidates)
  return candidates.filter((contact) => matches(contact, happened.get(contact.id)))
}
