import type { ConsentMeaning } from "./meanings.ts"
import {
  ABOUT_OTHERS,
  ABOUT_PERSON,
  AGAINST,
  ALSO_SUBSCRIBED,
  BOUNCED,
  CLEAR_NO,
  CLEARLY_SUBSCRIBED,
  COMPLAINED,
  EMAIL_CHANNEL,
  EMPTY,
  FALSE,
  FOR,
  isBareStatus,
  LISTS,
  NOT_SUBSCRIBED,
  OTHER_CHANNEL,
  PERHAPS_AGAINST,
  PERHAPS_FOR,
  STATUS,
  TOKEN,
  TRUE,
  toPlain,
} from "./words.ts"

/** How a column is read: a yes in it is a yes, or a no; or it has states, or lists of words. */
type ConsentKind = "for" | "against" | "status" | "list"

export interface ConsentColumn {
  at: number
  name: string
  /** Null: the value may mean anything, and is never a yes. */
  read(value: string): ConsentMeaning | null
}

type Word = ConsentMeaning | "clearly subscribed" | "empty" | "date" | boolean

/** Distinct values of a column that are looked at. A column of states has few. */
const MAX_DISTINCT = 1_000
const MAX_VALUE_CHARACTERS = 120
const MAX_WORDS = 6
/** Longer names would take too long: at each match of a first word, the expressions search on for a second one. */
const MAX_NAME_CHARACTERS = 500

/** An address of mail or of a page has parts that look like words of consent. */
const ADDRESS = /\S@\S|:\/\//

function readWord(value: string): Word | undefined {
  if (value.length > MAX_VALUE_CHARACTERS || ADDRESS.test(value)) return undefined
  const text = toPlain(value)
  if (EMPTY.has(text)) return "empty"
  if (TRUE.has(text)) return true
  if (FALSE.has(text)) return false
  if (isDate(value)) return "date"
  if (/\bsoft\b/.test(text)) return "unsubscribed"
  if (COMPLAINED.test(text)) return "complained"
  if (BOUNCED.test(text)) return "bounced"
  if (CLEARLY_SUBSCRIBED.has(text)) return "clearly subscribed"
  if (ALSO_SUBSCRIBED.has(text)) return "subscribed"
  return NOT_SUBSCRIBED.test(text) ? "unsubscribed" : undefined
}

const DATE =
  /^'?(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/. ]+(\d{1,2}|\p{L}{3,9}\.?)[-/., ]+\d{2,4}|\p{L}{3,9}\.? \d{1,2},? \d{4}|\p{L}{3},? \d{1,2} \p{L}{3} \d{4})([ T,].*)?$/u
const EPOCH = /^1\d{9}(\d{3})?$/

const isDate = (value: string): boolean => DATE.test(value.trim()) || EPOCH.test(value.trim())

const toHeader = (name: string) => toPlain(name.slice(0, MAX_NAME_CHARACTERS))

/** What a yes in a column of leaving says. */
function leftBy(header: string): ConsentMeaning {
  if (COMPLAINED.test(header)) return "complained"
  return BOUNCED.test(header) && !/\bsoft\b/.test(header) ? "bounced" : "unsubscribed"
}

export function createReader(name: string, kind: ConsentKind): ConsentColumn["read"] {
  const header = toHeader(name)
  const left = leftBy(header)
  const hasCodes = STATUS.test(header)
  return (value) => {
    const word = readWord(value)
    if (kind === "list") return inList(value)
    if (kind === "against") {
      if (word === "empty" || word === false || word === "clearly subscribed") return "subscribed"
      return word === "bounced" || word === "complained" ? word : left
    }
    if (word === "clearly subscribed") return "subscribed"
    if (typeof word === "string" && word !== "empty" && word !== "date") return word
    const isCode = hasCodes && /^\d+$/.test(value.trim())
    if (kind === "status" || isCode || word === undefined || word === "empty") return null
    return word === false ? "unsubscribed" : "subscribed"
  }
}

function inList(value: string): ConsentMeaning {
  const words = value.split(/[,;|]/).filter(isClearNo).map(readWord)
  return (
    words.find((word) => word === "bounced" || word === "complained") ??
    (words.length > 0 ? "unsubscribed" : "subscribed")
  )
}

/** Whether a short text can be nothing but a no. */
const isClearNo = (value: string) => isShort(value) && isNoOf(toPlain(value))
const isShort = (value: string) => value.length <= MAX_VALUE_CHARACTERS && !ADDRESS.test(value)
const isNoOf = (text: string) => CLEAR_NO.test(text) && text.split(" ").length <= MAX_WORDS

function isClear(value: string): boolean {
  if (!isShort(value)) return false
  const text = toPlain(value)
  return CLEARLY_SUBSCRIBED.has(text) || isNoOf(text)
}

/** Whether a column may say who wants mail, by its header or by its values. */
export function kindOf(name: string, values: readonly string[]): ConsentKind | undefined {
  const header = toHeader(name)
  const given = [...new Set(values)]
    .slice(0, MAX_DISTINCT)
    .filter((value) => !EMPTY.has(toPlain(value.slice(0, MAX_VALUE_CHARACTERS))))
  const isOther = OTHER_CHANNEL.test(header) && !EMAIL_CHANNEL.test(header)
  if (given.length === 0 || isOther) return undefined
  const words = new Set(given.map(readWord))
  words.delete(undefined)
  if (AGAINST.test(header) && (words.size > 0 || !TOKEN.test(header))) return "against"
  const isAsking = [PERHAPS_AGAINST, FOR, PERHAPS_FOR, STATUS].some((words) => words.test(header))
  if (!isAsking) return kindByValues(header, values, given)
  // Dates and numbers of a plan or a source are none of consent.
  if (ABOUT_OTHERS.test(header)) words.delete("date")
  const isAnswered = words.size > 0 && !isCounting(given)
  if (isAnswered && PERHAPS_AGAINST.test(header)) return "against"
  const isOfPerson = ABOUT_PERSON.test(header)
  if (FOR.test(header) && !isOfPerson && (isAnswered || !ABOUT_OTHERS.test(header))) return "for"
  if (isBareStatus(header)) return "status"
  if (isAnswered && PERHAPS_FOR.test(header) && !isOfPerson) return "for"
  const hasState = [...words].some((word) => typeof word === "string" && word !== "date")
  if (hasState && STATUS.test(header)) return "status"
  return kindByValues(header, values, given)
}

/** Whether the values are numbers that count something. */
const isCounting = (values: readonly string[]) =>
  values.every((value) => /^\d+([.,]\d+)?$/.test(value)) &&
  values.some((value) => Number(value) > 2 && !isDate(value))

/** States are few, and nearly everybody has one. Notes are many, or rare. */
const MAX_STATES = 20

function kindByValues(
  header: string,
  values: readonly string[],
  given: readonly string[],
): ConsentKind | undefined {
  if (LISTS.test(header)) {
    return given.some((value) => value.split(/[,;|]/).some(isClearNo)) ? "list" : undefined
  }
  if (!given.some(isClear)) return undefined
  const filled = values.filter((value) => value.trim() !== "").length
  return given.length <= MAX_STATES && filled * 2 >= values.length ? "status" : "list"
}

/** The columns that may say who wants mail. */
export const findConsentColumns = (
  header: readonly string[],
  rows: readonly (readonly string[])[],
): ConsentColumn[] =>
  header.flatMap((name, at) => {
    const kind = kindOf(
      name,
      rows.map((cells) => cells[at] ?? ""),
    )
    return kind ? [{ at, name, read: createReader(name, kind) }] : []
  })

export interface ConsentValue {
  /** As the file has it; `*` for all that are not named. */
  value: string
  count: number
  /** An example of the values that are not named. */
  example?: string
  meaning: ConsentMeaning | null
}

/** All values that are not named. */
export const OTHER_VALUES = "*"
const MAX_VALUES = 20

/** The distinct values of a column with what each seems to mean. Dates are not named one by one. */
export function valuesOf(read: ConsentColumn["read"], values: readonly string[]): ConsentValue[] {
  const groups = Map.groupBy(values, (value) => value.trim().toLowerCase())
  const counted = [...groups.values()]
    .map((same) => ({
      value: same[0]?.trim() ?? "",
      count: same.length,
      meaning: read(same[0] ?? ""),
    }))
    .toSorted((a, b) => b.count - a.count)
  const named = counted.filter(({ value }) => !isDate(value)).slice(0, MAX_VALUES)
  const others = counted.filter((one) => !named.includes(one))
  const [first] = others
  if (!first) return named
  const isSame = others.every(({ meaning }) => meaning === first.meaning)
  const count = others.reduce((sum, one) => sum + one.count, 0)
  return [
    ...named,
    { value: OTHER_VALUES, count, example: first.value, meaning: isSame ? first.meaning : null },
  ]
}

/** What several columns say of one person together: a no counts first, an unknown value is no yes. */
export function combine(meanings: readonly (ConsentMeaning | null)[]): ConsentMeaning | null {
  const order = ["complained", "bounced", "unsubscribed", "skip", null, "subscribed"] as const
  return order.find((meaning) => meanings.includes(meaning)) ?? null
}
