import { sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../lib/time.ts"
import { erasures } from "../../erasure/table.ts"
import type { Work } from "../../platform/context.ts"
import { excluded, insertInto, resultColumns } from "../../platform/db/columns.ts"
import { limitedPerOwner } from "../../platform/db/per-owner.ts"
import { teams } from "../../teams/table.ts"
import { dayOf } from "../packs/pack.ts"
import { emails, emailWords } from "../table.ts"
import { isCutShort, parsed, type ReadEmail, upToCharacters } from "./read-emails.ts"
import { wordsOfEmail } from "./words-of-email.ts"

/** A call that accepts emails may store them some time after it has drawn their ids. */
const TAKEN_AFTER_MS = 5 * MINUTE_MS
/** A row grows at most six times an hour, and a search looks at no more than the emails since then. */
const DUE_AFTER_MS = 15 * MINUTE_MS

const MAX_EMAILS = 1_000
const MAX_CHARACTERS = 200_000

/** An invocation may make a thousand queries, and all work of the minute shares one. */
const ROUNDS_A_SWEEP = 40
const WITHIN_MS = 10 * SECOND_MS

/**
 * Writes the words of new emails, and of emails from before there was an index, oldest first. Teams
 * take turns, the longest wait first.
 */
export async function indexWords(work: Work): Promise<void> {
  const until = work.now() + WITHIN_MS
  let rounds = 0
  let due = await selectDueTeams(work)
  while (due.length > 0) {
    const next: typeof due = []
    for (const team of due) {
      if (rounds++ === ROUNDS_A_SWEEP || work.now() >= until) return
      if (await indexNext(work, team.id)) next.push(team)
    }
    due = next
  }
}

const olderThan = (work: Work, ms: number) => firstIdAt("email", work.now() - ms)

const firstKept = (work: Work) => olderThan(work, work.settings.RECORD_RETENTION_DAYS * DAY_MS)

/** While an address is erased, its words must not be written again. */
const isErasing = (team: unknown) =>
  sql`exists (select 1 from ${erasures} where ${erasures.teamId} = ${team})`

const selectDueTeams = (work: Work) =>
  work.db.all<{ id: string }>(sql`
    select ${teams.id} as id from ${teams} cross join ${limitedPerOwner(
      sql`select ${emails.id} as value from emails
        where ${emails.teamId} = ${teams.id} and ${emails.id} > max(${firstKept(work)}, coalesce((
          select ${emailWords.lastId} from email_words where ${emailWords.teamId} = ${teams.id}
          order by ${emailWords.firstId} desc limit 1), ''))
        order by ${emails.id}`,
      1,
    )} x
    where x.value < ${olderThan(work, DUE_AFTER_MS)} and not ${isErasing(teams.id)}
    order by x.value limit +${ROUNDS_A_SWEEP}`)

type Block = Pick<typeof emailWords.$inferSelect, "firstId" | "lastId" | "words">

/** Adds emails to the team's newest row, or writes the next one. Says whether there may be more. */
async function indexNext(work: Work, teamId: string): Promise<boolean> {
  const [newest] = await work.db.all<Block>(sql`
    select ${resultColumns({ firstId: emailWords.firstId, lastId: emailWords.lastId, words: emailWords.words })}
    from email_words where ${emailWords.teamId} = ${teamId} order by ${emailWords.firstId} desc limit 1`)
  const after = [newest?.lastId ?? "", firstKept(work)].toSorted().at(-1)
  const found = await work.db.all<ReadEmail>(
    upToCharacters(
      sql`
      select ${emails.id} as id, ${emails.recipients} as recipients, ${emails.subject} as subject
        from emails
      where ${emails.teamId} = ${teamId} and ${emails.id} > ${after}
        and ${emails.id} < ${olderThan(work, TAKEN_AFTER_MS)}`,
      sql`id`,
      sql`${MAX_EMAILS}`,
    ),
  )
  const [first] = found
  if (!first) return false
  const isOpen = newest && dayOf(newest.firstId) === dayOf(first.id) && !isFull(newest)
  const { firstId, words } = isOpen ? newest : { firstId: first.id, words: "{}" }
  const known = Object.entries(JSON.parse(words))
  const added: [id: string, text: string][] = []
  let characters = words.length
  for (const email of found) {
    const isOver = known.length + added.length === MAX_EMAILS || characters > MAX_CHARACTERS
    if (isOver || dayOf(email.id) !== dayOf(firstId)) break
    const text = wordsOfEmail(parsed(email))
    added.unshift([email.id, text])
    characters += text.length
  }
  await storeBlock(work, teamId, {
    firstId,
    lastId: added[0]?.[0] ?? first.id,
    words: JSON.stringify(Object.fromEntries([...added, ...known])),
  })
  return added.length < found.length || found.length === MAX_EMAILS || isCutShort(found)
}

const isFull = ({ words }: Block) =>
  words.length > MAX_CHARACTERS || Object.keys(JSON.parse(words)).length === MAX_EMAILS

const storeBlock = (work: Work, teamId: string, block: Block) =>
  work.db.run(sql`
    ${insertInto(emailWords, { teamId, ...block }, sql`where not ${isErasing(teamId)}`)}
    on conflict do update set last_id = ${excluded(emailWords.lastId)}, words = ${excluded(emailWords.words)}
    where last_id < ${excluded(emailWords.lastId)}`)
