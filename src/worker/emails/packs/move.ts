import { and, eq, inArray, lte, or, type SQL, sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { limitedPerOwner } from "../../platform/db/per-owner.ts"
import { teams } from "../../teams/table.ts"
import { scheduledEndedAt } from "../retention/ended-at.ts"
import { movePosition, positionOf } from "../retention/purge-position.ts"
import { ENDED_STATUSES } from "../statuses.ts"
import { emailContents, emails } from "../table.ts"
import { createPack, type Member } from "./create-pack.ts"
import { dayOf, firstKeptDay, toMember } from "./pack.ts"

/** After this time an email that no provider reported on counts as settled. */
const SETTLED_AFTER_MS = HOUR_MS
/** Most emails are sent within five minutes. Those that are not wait for the next day's look. */
const TAKEN_AFTER_MS = SETTLED_AFTER_MS + 5 * MINUTE_MS
/** A team with little mail has one pack an hour, not one a minute. */
const DUE_AFTER_MS = 2 * HOUR_MS

const MAX_MEMBERS = 1_000
const MAX_PACK_BYTES = 4 * 1024 * 1024
/** A content has at most 64 KB in its row. */
const ROWS_A_PAGE = 100
const TEAMS_A_SWEEP = 100

/** An invocation may make a thousand queries, and all work of the minute shares one. */
const MAX_QUERIES = 200
const WITHIN_MS = 15 * SECOND_MS

interface Budget {
  isLeft(): boolean
  spend(queries: number): void
}

/**
 * Moves the contents of settled emails to packs in R2. Teams take turns, a pack each, the longest
 * wait first.
 */
export async function moveContents(work: Work): Promise<void> {
  const budget = createBudget(work)
  let due = await selectDueTeams(work)
  while (due.length > 0 && budget.isLeft()) {
    const next: typeof due = []
    for (const team of due) {
      if (!budget.isLeft()) return
      if (await moveNext(work, team.id, budget)) next.push(team)
    }
    due = next
  }
}

function createBudget({ now }: Work): Budget {
  const until = now() + WITHIN_MS
  let left = MAX_QUERIES
  return {
    isLeft: () => left > 0 && now() < until,
    spend: (queries) => {
      left -= queries
    },
  }
}

const olderThan = (work: Work, ms: number) => firstIdAt("email", work.now() - ms)

/** The position ends at the emails that were looked at: those in front of it were taken. */
const isAhead = sql`${emailContents.emailId} > ${positionOf("packs")}`

const selectDueTeams = (work: Work) =>
  work.db.all<{ id: string }>(sql`
    select ${teams.id} as id from ${teams} cross join ${limitedPerOwner(
      sql`select ${emailContents.emailId} as value from email_contents
        where ${emailContents.teamId} = ${teams.id} and ${isAhead} order by ${emailContents.emailId}`,
      1,
    )} x
    where x.value < ${olderThan(work, DUE_AFTER_MS)}
    order by x.value limit +${TEAMS_A_SWEEP}`)

/** Makes a team's next pack. Says whether there may be more. */
async function moveNext(work: Work, teamId: string, budget: Budget): Promise<boolean> {
  const collected = createCollected(work)
  let isEnd = false
  while (!collected.isFull() && !isEnd && budget.isLeft()) {
    const rows = await selectPage(work, teamId, collected.lookedAt())
    budget.spend(1)
    for (const row of rows) if (!collected.add(row)) break
    isEnd = rows.length < ROWS_A_PAGE
  }
  const position = collected.lookedAt()
  if (position === "") return false
  budget.spend(3)
  const [first, ...others] = collected.members()
  if (!first) await movePosition(work, { teamId, kind: "packs", position })
  else if (!(await createPack(work, teamId, [first, ...others], position))) return true
  return collected.isFull() || !isEnd
}

/** Gathers what fits one pack. */
function createCollected(work: Work) {
  const members: Member[] = []
  let [bytes, lookedAt, isFull] = [0, "", false]
  const firstDay = firstKeptDay(work.settings, work.now())
  return {
    members: () => members,
    lookedAt: () => lookedAt,
    isFull: () => isFull,
    add({ id, body }: Looked): boolean {
      const isTaken = body !== null && dayOf(id) >= firstDay
      if (isTaken) {
        const content = toMember(Buffer.from(body, "base64"))
        isFull =
          members.length === MAX_MEMBERS ||
          (members[0] !== undefined &&
            (dayOf(members[0].id) !== dayOf(id) || bytes + content.length > MAX_PACK_BYTES))
        if (isFull) return false
        members.push({ id, content })
        bytes += content.length
      }
      lookedAt = id
      return true
    },
  }
}

interface Looked {
  id: string
  /** Null where the content stays: it is large, or the email is not settled, or ended days later. */
  body: string | null
}

const isSettled = (now: number): SQL | undefined =>
  or(
    inArray(emails.status, ENDED_STATUSES),
    and(eq(emails.status, "sent"), lte(emails.sentAt, now - SETTLED_AFTER_MS)),
  )

/** Its content stays in the database: a pack expires by the day of acceptance, which would be too early. */
const endedDaysLater = sql`${scheduledEndedAt} > ${emails.createdAt} + ${DAY_MS}`

const selectPage = (work: Work, teamId: string, after: string) =>
  work.db.all<Looked>(sql`
    select ${emailContents.emailId} as id,
      iif(${isSettled(work.now())} and not ${endedDaysLater}, ${emailContents.body}, null) as body
    from ${teams} cross join email_contents
      left join emails on ${emails.teamId} = ${emailContents.teamId}
        and ${emails.id} = ${emailContents.emailId}
    where ${teams.id} = ${teamId} and ${emailContents.teamId} = ${teamId} and ${isAhead}
      and ${emailContents.emailId} > ${after}
      and ${emailContents.emailId} < ${olderThan(work, TAKEN_AFTER_MS)}
    order by ${emailContents.emailId} limit +${ROWS_A_PAGE}`)
