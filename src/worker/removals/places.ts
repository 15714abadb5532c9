import { getTableName, type SQL, sql } from "drizzle-orm"
import { normalizeAddress } from "../../lib/address.ts"
import { readTexts, type Texts } from "../erasure/read-texts.ts"
import type { Work } from "../platform/context.ts"
import { distinctIds } from "../platform/db/per-owner.ts"
import { columnsOf, type ListedInside, teamColumn } from "../platform/db/rows.ts"
import { TABLES } from "../teams/tables.ts"

/** The hashes of a page take some milliseconds. */
const ADDRESSES_A_PAGE = 2_000

type After = readonly string[]

/** A page of the addresses of a team. `last` is where the next page begins, or null. */
type ReadPage = (
  work: Work,
  teamId: string,
  after: After,
) => Promise<{ addresses: readonly string[]; last: After | null }>

/** Where an erasure finds addresses. */
export const PLACES = TABLES.flatMap(({ table, addresses = {}, isLarge }) =>
  Object.entries(addresses).map(([name, found]): { name: string; readPage: ReadPage } => {
    const column = columnsOf(table)[name]
    if (!column) throw new Error(`There is no column ${name}`)
    const texts = { table, columns: [column], isLarge }
    const readPage =
      found === "listed"
        ? readListed(texts, { value: sql`${column}`, condition: sql`true` })
        : typeof found === "object"
          ? readListed(texts, found)
          : readSearched(texts, sql`(instr(${column}, '@') or instr(${column}, '%'))`)
    return { name: `${getTableName(table)}.${column.name}`, readPage }
  }),
)

function readSearched(texts: Texts, condition: SQL): ReadPage {
  return async ({ db, directory }, teamId, after) => {
    const at = teamColumn(texts.table) ? db : directory
    const { rows, last } = await readTexts(at, texts, { teamId, after, condition })
    const isJson = texts.columns[0]?.dataType === "json"
    let addresses: string[] = []
    for (const [index, row] of rows.entries()) {
      const read = row.texts.flatMap((text) => text ?? [])
      addresses = addresses.concat((isJson ? read.flatMap(stringsIn) : read).flatMap(addressesIn))
      const isFull = addresses.length >= ADDRESSES_A_PAGE && index < rows.length - 1
      if (isFull) return { addresses, last: row.key }
    }
    return { addresses, last }
  }
}

function stringsIn(json: string): string[] {
  const found: string[] = []
  JSON.parse(json, (_, value) => {
    if (typeof value === "string") found.push(value)
  })
  return found
}

function readListed({ table }: Texts, { value, condition }: ListedInside): ReadPage {
  return async ({ db }, teamId, [from = ""]) => {
    const next = (after: SQL) => sql`(
      select min(${value}) from ${table}
      where ${teamColumn(table)} = ${teamId} and ${value} > ${after} and ${condition})`
    const found = await db.all<{ id: string }>(sql`
      with recursive ${distinctIds("found", next, { from: sql`${from}`, limit: ADDRESSES_A_PAGE })}
      select id from found where id is not null`)
    const addresses = found.map(({ id }) => id)
    return { addresses, last: addresses.length < ADDRESSES_A_PAGE ? null : addresses.slice(-1) }
  }
}

const MAX_DECODINGS = 10
/** Enough for real addresses. Without a limit, a text of dots would have thousands for each `@`. */
const STARTS = 16
const ENDS = 10

/**
 * The addresses that `redactor` may find in a text: percent-encoded ones, and those that are part of a
 * longer one. It finds too many rather than too few.
 */
export function addressesIn(text: string): string[] {
  const found = new Set<string>()
  let spelled = text
  for (let decodings = 0; decodings <= MAX_DECODINGS; decodings++) {
    for (const { index } of spelled.matchAll(/@/g)) {
      const [local = ""] =
        /[a-z0-9.!#$%&'*+/=?^_`{|}~-]*$/i.exec(spelled.slice(0, index).slice(-64)) ?? []
      const [domain = ""] =
        /^[\p{L}\p{M}\p{N}\p{Join_Control}.-]*/u.exec(spelled.slice(index + 1, index + 255)) ?? []
      const ends = endsIn(domain)
      for (const start of ends.length > 0 ? startsIn(local) : []) {
        for (const end of ends) found.add(`${start}@${end}`)
      }
    }
    const decoded = decode(spelled)
    if (decoded === spelled) break
    spelled = decoded
  }
  return [...found]
}

/** An address begins after anything but a letter or a digit, or after an encoded character. */
const startsIn = (local: string) =>
  [...local]
    .flatMap((_, at) =>
      at === 0 || /([^a-z0-9]|%[0-9a-f]{2})$/i.test(local.slice(0, at)) ? local.slice(at) : [],
    )
    .flatMap((start) => normalizeAddress(`${start}@a.aa`)?.slice(0, -"@a.aa".length) ?? [])
    .slice(-STARTS)

const endsIn = (domain: string) =>
  Array.from({ length: domain.length }, (_, at) => domain.slice(0, at + 1))
    .filter((end) => !/^[a-z0-9]/i.test(domain.slice(end.length)))
    .flatMap((end) => normalizeAddress(`a@${end}`)?.slice("a@".length) ?? [])
    .slice(0, ENDS)

/** What is not UTF-8 stays as it is: `%da` may be the end of `%25` before `da`. */
const decode = (text: string) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })
