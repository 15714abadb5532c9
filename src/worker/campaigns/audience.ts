import { and, eq, sql } from "drizzle-orm"
import { firstIdAt } from "../../lib/id.ts"
import { inRounds } from "../../lib/rounds.ts"
import { type ContactRow, contactBooks, contacts } from "../contacts/table.ts"
import type { Ctx } from "../platform/context.ts"
import {
  type Candidate,
  FIRST_READ,
  keepMembers,
  type Place,
  placeAfter,
  selectCandidates,
} from "../segments/members.ts"
import { segments } from "../segments/table.ts"
import { erasedForm, selectErased } from "../suppressions/erased.ts"
import { suppressions } from "../suppressions/table.ts"
import type { Topic } from "../topics/contract.ts"
import { topics } from "../topics/table.ts"
import { NEWEST_HASHED } from "./contract.ts"
import { itsTopic } from "./sending/wants-topic.ts"
import { campaigns } from "./table.ts"
import { campaignOrNotFound } from "./view.ts"

const ROUNDS = { size: 5_000 }

/** Uses the counts of the book. It reads the contacts only if the team has erased an address. */
export async function getAudience(ctx: Ctx, id: string) {
  const [[row], erased] = await ctx.batch([
    ctx.db.all<Counted & ChosenTopic & Row>(sql`
      select ${campaigns.bookId} as bookId, ${campaigns.topicId} as topicId,
        ${topics.default} as topicDefault,
        ${campaigns.segmentId} as segmentId, ${campaigns.deletedAt} as deletedAt,
        ${contactBooks.contactCount} as contacts, ${contactBooks.subscribedCount} as subscribed,
        count(${contacts.id}) as suppressed, coalesce(sum(${contacts.subscribed}), 0) as lost
      from ${campaigns}
      ${itsTopic(campaigns.teamId, campaigns.topicId)}
      left join ${contactBooks} on ${contactBooks.teamId} = ${campaigns.teamId}
        and ${contactBooks.id} = ${campaigns.bookId}
      left join suppressions on ${suppressions.teamId} = ${contactBooks.teamId}
      left join contacts on ${contacts.teamId} = ${suppressions.teamId}
        and ${contacts.bookId} = ${contactBooks.id} and ${contacts.email} = ${suppressions.email}
      where ${campaigns.teamId} = ${ctx.team} and ${campaigns.id} = ${id} group by ${campaigns.id}`),
    selectErased(ctx),
  ])
  const { contacts: contactCount, subscribed, ...campaign } = campaignOrNotFound(row)
  // The contacts of a deleted book are deleted step by step.
  if (contactCount === null || subscribed === null) return NO_AUDIENCE
  const returned = await findReturned(ctx, campaign.bookId, erased)
  const addresses = new Set(returned.map(({ email }) => email))
  const willing = subscribed - campaign.lost - returned.filter((one) => one.subscribed).length
  const { segmentId, topicId, topicDefault } = campaign
  const eligible = async () => {
    if (segmentId !== null) {
      return countSegmentAudience(
        ctx,
        segmentId,
        ({ email, topics }) =>
          (topicId === null || (topics[topicId] ?? topicDefault === "subscribed")) &&
          !addresses.has(email),
      )
    }
    if (topicId === null) return willing
    if (topicDefault === null) return 0
    const choosers = await countChoosers(ctx, campaign, addresses)
    return topicDefault === "subscribed" ? willing - choosers : choosers
  }
  return {
    contacts: contactCount,
    subscribed,
    suppressed: campaign.suppressed + returned.length,
    eligible: await eligible(),
  }
}

interface Row {
  deletedAt: number | null
  /** Null for a deleted book. */
  contacts: number | null
  subscribed: number | null
}

const NO_AUDIENCE = { contacts: 0, subscribed: 0, suppressed: 0, eligible: 0 }

interface ChosenTopic {
  bookId: string
  segmentId: string | null
  topicId: string | null
  /** Null for a deleted topic. */
  topicDefault: Topic["default"] | null
}

/** Counts the subscribed contacts that chose other than the topic's default and may be mailed. */
async function countChoosers(
  ctx: Ctx,
  { bookId, topicId, topicDefault }: ChosenTopic,
  returned: ReadonlySet<string>,
): Promise<number> {
  const { team } = await ctx.caller()
  let choosers = 0
  await inRounds(ROUNDS, async (size, last?: Pick<ContactRow, "email">) => {
    const found = await ctx.db.all<{ email: string; suppressed: 0 | 1 }>(sql`
      select ${contacts.email}, exists (select 1 from suppressions
        where ${suppressions.teamId} = ${contacts.teamId}
          and ${suppressions.email} = ${contacts.email}) as suppressed
      from contacts
      where ${contacts.teamId} = ${team.id} and ${contacts.topics} <> '{}'
        and ${contacts.email} > ${last?.email ?? ""}
        and ${contacts.bookId} = ${bookId} and +${contacts.subscribed} = 1
        and ${contacts.topics} ->> ${topicId} = ${Number(topicDefault !== "subscribed")}
      order by ${contacts.email} limit +${size}`)
    choosers += found.filter(({ email, suppressed }) => !suppressed && !returned.has(email)).length
    return found
  })
  return choosers
}

interface Counted {
  suppressed: number
  /** How many of the suppressed contacts are subscribed. */
  lost: number
}

interface Returned {
  email: string
  subscribed: 0 | 1
}

/**
 * The contacts that are suppressed under the hash of an erased address alone. An erasure deletes
 * the contacts, so only contacts that were added or changed since the first erasure can match.
 * Their addresses are hashed here, since SQLite has no hash function.
 */
async function findReturned(
  ctx: Ctx,
  bookId: string,
  erased: Awaited<ReturnType<typeof selectErased>>,
): Promise<Returned[]> {
  const since = erased[0]?.createdAt
  if (since === undefined) return []
  const { team } = await ctx.caller()
  const forms = new Set(erased.map(({ email }) => email))
  const found = await ctx.db.all<Returned>(sql`
    select email, subscribed from (
      select ${contacts.id}, ${contacts.email}, ${contacts.subscribed}, ${contacts.updatedAt}
      from contacts where ${contacts.teamId} = ${team.id} and ${contacts.bookId} = ${bookId}
      order by ${contacts.id} desc limit +${NEWEST_HASHED}
    ) newest
    where (id >= ${firstIdAt("contact", since)} or updated_at >= ${since})
      and not exists (select 1 from suppressions
        where ${suppressions.teamId} = ${team.id} and ${suppressions.email} = newest.email)`)
  return found.filter(({ email }) => forms.has(erasedForm(ctx.settings, email)))
}

/** A larger book answers the segment's own count, which knows no topic. */
const PAGES_READ = 100

/** How many contacts of a segment a campaign would be sent to. `mayGet` decides on each of them. */
async function countSegmentAudience(
  ctx: Ctx,
  segmentId: string,
  mayGet: (contact: { email: string; topics: Record<string, boolean> }) => boolean,
): Promise<number> {
  const { team } = await ctx.caller()
  const [segment] = await ctx.db
    .select()
    .from(segments)
    .where(and(eq(segments.teamId, team.id), eq(segments.id, segmentId)))
  if (!segment) return 0
  const { bookId, filter } = segment
  let eligible = 0
  let place: Place | undefined = { below: undefined, size: FIRST_READ }
  for (let pages = 0; place && pages < PAGES_READ; pages++) {
    const candidates: Candidate[] = await selectCandidates(ctx, team.id, bookId, place)
    const willing = candidates.filter((one) => one.subscribed && !one.isSuppressed && mayGet(one))
    eligible += (await keepMembers(ctx, team.id, filter, willing)).length
    place = placeAfter(candidates, place)
  }
  return place ? (segment.eligibleCount ?? eligible) : eligible
}
