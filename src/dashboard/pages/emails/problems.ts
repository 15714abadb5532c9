import { meantNames } from "../../../lib/misspelt.ts"
import { FILTERS, type FilterName, filterValue, tokensOf, valuesOf } from "./search/query.ts"

export interface Problem {
  text: string
  /** The search with the filter that was probably meant. */
  instead?: string
}

const NAMES = Object.keys(FILTERS) as FilterName[]
const meantName = meantNames(NAMES)

/** The first filter of a search that is misspelt. A word with a colon may also be a word: `Re:`. */
export function findProblem(q: string): Problem | undefined {
  for (const token of tokensOf(q)) {
    const [, typed = "", written = ""] = /^([a-z]+):(.*)$/is.exec(token) ?? []
    const problem = typed && checkFilter(typed.toLowerCase(), written)
    if (!problem) continue
    const { text, meant } = problem
    return { text, ...(meant && { instead: q.replace(token, () => meant) }) }
  }
  return undefined
}

function checkFilter(typed: string, written: string): { text: string; meant?: string } | undefined {
  const name = NAMES.find((one) => one === typed)
  if (name) {
    const value = filterValue(name, written)
    if (FILTERS[name](value)) return undefined
    const values = valuesOf(name)
    const [meant] = meantNames(values)(value)
    const known =
      name === "from"
        ? "an address or @domain"
        : new Intl.ListFormat("en", { type: "disjunction" }).format(values)
    return value
      ? { text: `“${name}” takes ${known}`, ...(meant && { meant: `${name}:${meant}` }) }
      : { text: `Add a value after “${name}:”` }
  }
  const meant = meantName(typed)[0] ?? NAMES.find((one) => `${one}s` === typed)
  if (!meant) return undefined
  return { text: `There is no filter “${typed}”`, meant: `${meant}:${written}` }
}
