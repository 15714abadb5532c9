import { boundedText } from "../../platform/http/shapes.ts"
import { wordsOf } from "./words.ts"

/** Each word is looked for in all texts that a page reads. */
export const MAX_WORDS = 20
export const TOO_MANY_WORDS = `At most ${MAX_WORDS} different words`

/** The words that a search looks for. */
export const searchWords = (maxCharacters: number) =>
  boundedText(maxCharacters)
    .refine((text) => wordsOf(text).length > 0, "At least one letter or digit")
    .refine((text) => new Set(wordsOf(text)).size <= MAX_WORDS, TOO_MANY_WORDS)
