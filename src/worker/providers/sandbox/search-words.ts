import { wordsOf } from "../../emails/word-index/words.ts"
import type { OutgoingMessage } from "../provider.ts"

/** A larger message is found by its subject. */
const MAX_READ_BYTES = 1024 * 1024
const MAX_TEXT_CHARACTERS = 200_000
const MAX_WORD_CHARACTERS = 64
const MAX_CHARACTERS = 8_000

/** "482 913", which somebody may type without the space. */
const GROUPED_CODE = /\b\d{3}[ -]\d{3,4}\b/g

/**
 * The words that a search finds a message by, each once and after a space. The text part names the
 * links with their addresses.
 */
export async function searchWords({
  subject,
  raw,
  ...parts
}: Pick<OutgoingMessage, "subject" | "text" | "html" | "raw">): Promise<string> {
  const isRead = raw !== undefined && raw.length < MAX_READ_BYTES
  const { text, html } = isRead
    ? await (await import("../../emails/raw/parts.ts")).readParts(raw)
    : parts
  const all = `${subject}\n${text ?? (await textOf(html))}`.slice(0, MAX_TEXT_CHARACTERS)
  const codes = (all.match(GROUPED_CODE) ?? []).map((code) => code.replace(/\D/g, ""))
  const words = [...codes, ...wordsOf(all)].map((word) => word.slice(0, MAX_WORD_CHARACTERS))
  return ` ${[...new Set(words)].join(" ")}`.slice(0, MAX_CHARACTERS)
}

async function textOf(html: string | null): Promise<string> {
  const { htmlToText } = await import("../../../lib/html-text.ts")
  return htmlToText((html ?? "").slice(0, MAX_TEXT_CHARACTERS))
}
