import { type SQL, sql } from "drizzle-orm"
import { emails } from "../table.ts"
import { wordsOf } from "./words.ts"

const BEYOND_ASCII = /[^ -~]/

/** Null for most subjects: SQLite finds the words of ASCII itself. */
export const storedWords = (subject: string): string | null =>
  BEYOND_ASCII.test(subject) ? ` ${wordsOf(subject).join(" ")}` : null

const PUNCTUATION = [..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"]

/** The words of an email's subject, each after a space. */
export const subjectWords: SQL = sql`coalesce(${emails.subjectWords}, ${PUNCTUATION.reduce(
  (text, mark) => sql`replace(${text}, ${sql.raw(`'${mark.replace("'", "''")}'`)}, ' ')`,
  sql`' ' || lower(${emails.subject})`,
)})`
