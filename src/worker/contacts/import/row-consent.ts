import { combine, valuesOf } from "../../../lib/consent/columns.ts"
import type { ConsentMeaning } from "../../../lib/consent/meanings.ts"
import type { ImportWarning, TopicChoices } from "../shapes.ts"
import type { CsvRow } from "./csv.ts"
import type { Columns } from "./read-columns.ts"

/** What a row says of its person's consent. */
export interface RowConsent {
  subscribed: boolean
  saysNo: boolean
  isSkipped: boolean
  suppress: "bounce" | "complaint" | null
  /** The column `subscribed` has another word than it takes. */
  isUnreadable: boolean
}

export const ANSWERS = new Map<string, boolean>([
  ...["true", "1", "yes", "y", ""].map((text) => [text, true] as const),
  ...["false", "0", "no", "n"].map((text) => [text, false] as const),
])

/** Of a file of people who want no mail. */
export const NOBODY: RowConsent = {
  subscribed: false,
  saysNo: true,
  isSkipped: false,
  suppress: null,
  isUnreadable: false,
}

const REASONS: { [Meaning in ConsentMeaning]?: RowConsent["suppress"] } = {
  bounced: "bounce",
  complained: "complaint",
}

/**
 * A no in any column counts. A yes in the column `subscribed` outweighs an unknown value of a column that nobody
 * mapped.
 */
export function readConsent({ known, consent }: Columns, { cells }: CsvRow): RowConsent {
  const answer = (cells[known.subscribed ?? -1] ?? "").toLowerCase()
  const isYes = answer !== "" && ANSWERS.get(answer) === true
  const meanings: (ConsentMeaning | null)[] = consent
    .map(({ at, read, isGuessed }) => ({ meaning: read(cells[at] ?? ""), isGuessed }))
    .filter(({ meaning, isGuessed }) => !(isYes && isGuessed && meaning === null))
    .map(({ meaning, isGuessed }) => (isGuessed && isNo(meaning) ? "unsubscribed" : meaning))
  if (ANSWERS.get(answer) === false) meanings.push("unsubscribed")
  if (isYes || meanings.length === 0) meanings.push("subscribed")
  const said = combine(meanings)
  return {
    subscribed: said === "subscribed",
    saysNo: isNo(said),
    isSkipped: said === "skip",
    suppress: (said && REASONS[said]) ?? null,
    isUnreadable: !ANSWERS.has(answer),
  }
}

const isNo = (meaning: ConsentMeaning | null) =>
  meaning !== null && meaning !== "subscribed" && meaning !== "skip"

/** Null if a cell is no answer. */
export function readTopics({ topics }: Columns, { cells }: CsvRow): TopicChoices | null {
  const choices: TopicChoices = {}
  for (const { id, at } of topics) {
    const cell = (cells[at] ?? "").toLowerCase()
    const choice = ANSWERS.get(cell)
    if (choice === undefined) return null
    if (cell !== "") choices[id] = choice
  }
  return choices
}

/** Columns that may say who wants mail, where the call does not say what they mean. */
export const warnOfGuesses = ({ consent }: Columns, rows: readonly CsvRow[]): ImportWarning[] =>
  consent
    .filter(({ isGuessed }) => isGuessed)
    .map(({ name, at, read }) => {
      const values = valuesOf(
        read,
        rows.map(({ cells }) => cells[at] ?? ""),
      )
      const unclear = values
        .filter(({ meaning }) => meaning !== "subscribed")
        .reduce((sum, { count }) => sum + count, 0)
      return {
        column: name,
        message: `The column may say who wants mail. ${unclear} of ${rows.length} rows are no clear yes, and nobody is subscribed by them. Say in 'columns' what the column means.`,
        values: values.map(({ value, count, meaning }) => ({ value, count, meaning })),
      }
    })
