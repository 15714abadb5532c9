import { type Command, InvalidArgumentError } from "commander"
import type { Page } from "../../client/index.ts"
import type { Session } from "../session/session.ts"
import { toTable } from "./paint.ts"

export const addPageOptions = (command: Command): Command =>
  command
    .option("--limit <n>", "how many: 1 to 100, by default 25", toCount)
    .option("--cursor <cursor>", "the nextCursor of the page before")

export function toCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.")
  return Number(text)
}

/** Prints the page as JSON or as a table. */
export function printPage<T>(
  { print, paint }: Session,
  page: Page<T> & { searchedUntil?: string },
  titles: string[],
  toRow: (record: T) => string[],
): void {
  const none = page.searchedUntil ? "None so far." : "None."
  const table = page.data.length > 0 ? toTable(paint, titles, page.data.map(toRow)) : none
  const searched = page.searchedUntil ? `\nSearched back to ${page.searchedUntil}.` : ""
  const more = page.nextCursor ? `\nMore follow: --cursor ${page.nextCursor}` : ""
  print(page, table + searched + more)
}
