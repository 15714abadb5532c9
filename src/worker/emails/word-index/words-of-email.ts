import type { EmailRow } from "../table.ts"
import { wordsOf } from "./words.ts"

export type WordedEmail = Pick<EmailRow, "recipients" | "subject">

/** The words that a search finds an email by, each after a space. */
export function wordsOfEmail({ recipients, subject }: WordedEmail): string {
  const people = recipients.flatMap(({ address, name }) => [address, name ?? ""])
  return [...new Set(wordsOf([...people, subject].join(" ")))].map((word) => ` ${word}`).join("")
}

/** All words have to match, each from its start. */
export function hasWords(email: WordedEmail, words: readonly string[]): boolean {
  const text = wordsOfEmail(email)
  return words.every((word) => text.includes(` ${word}`))
}
