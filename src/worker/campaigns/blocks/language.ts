import type { Block, Theme } from "./contract.ts"
import { textsOf } from "./texts.ts"
import type { DIRECTIONS } from "./theme.ts"

export type Direction = (typeof DIRECTIONS)[number]

interface Language {
  /** A tag of BCP 47; null if nobody chose one and the text does not tell. */
  lang: string | null
  dir: Direction
}

const RTL_LANGUAGES = /^(ar|arc|ckb|dv|fa|he|iw|ks|ps|sd|ug|ur|yi)(-|$)/i
const RTL_LETTERS =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu

/** The beginning tells as much as the whole, and the editor asks at each key. */
const SAMPLE_CHARACTERS = 4_000

/** The language of a message and its direction: as the theme says, else guessed from the text. */
export function languageOf(
  subject: string,
  blocks: readonly Block[],
  theme: Theme | null,
): Language {
  const written = [subject, ...blocks.flatMap(textsOf)]
    .filter((text) => !/^(https?:|mailto:)/i.test(text))
    .join("\n")
    .slice(0, SAMPLE_CHARACTERS)
    .replace(/\{\{[^{}]*\}\}/g, " ")
  const lang = theme?.lang ?? guessLanguage(written)
  const isRtl = theme?.lang
    ? RTL_LANGUAGES.test(theme.lang)
    : 2 * count(written, RTL_LETTERS) > count(written, /\p{L}/gu)
  return { lang, dir: theme?.dir ?? (isRtl ? "rtl" : "ltr") }
}

const count = (text: string, letters: RegExp) => text.match(letters)?.length ?? 0

/** By letters that one language has; within a script, the rarer ones first. */
const SCRIPTS: [letters: RegExp, script: RegExp, lang: string][] = [
  [/\p{Script=Hebrew}/u, /\p{Script=Hebrew}/gu, "he"],
  [/[ٹڈڑے]/u, /\p{Script=Arabic}/gu, "ur"],
  [/[پچژگ]/u, /\p{Script=Arabic}/gu, "fa"],
  [/\p{Script=Arabic}/u, /\p{Script=Arabic}/gu, "ar"],
  [
    /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
    /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu,
    "ja",
  ],
  [/\p{Script=Hangul}/u, /\p{Script=Hangul}/gu, "ko"],
  [/\p{Script=Han}/u, /\p{Script=Han}/gu, "zh"],
  [/\p{Script=Greek}/u, /\p{Script=Greek}/gu, "el"],
  [/\p{Script=Thai}/u, /\p{Script=Thai}/gu, "th"],
  [/[їєґ]/iu, /\p{Script=Cyrillic}/gu, "uk"],
  [/[ыэё]/iu, /\p{Script=Cyrillic}/gu, "ru"],
]

/** Frequent words of languages in Latin letters. */
const WORDS = Object.entries({
  en: "the and you your with for from this that our are is of to in we",
  de: "der die das und ist nicht mit für sie wir ihr ihre ein eine von auf zu",
  fr: "le les des et est vous votre nous pour avec une dans sur du à au",
  es: "el los las y es para con una por que su sus tu del en de",
  it: "il gli e è per con una che di della sono nostri nostro non alla",
  pt: "o os as e é para com uma você não do da em seu sua de",
  nl: "de het een en is niet met voor van je uw wij op onze",
  pl: "i w na nie jest się do z dla oraz twój nasz",
  sv: "och att är det för med en du din vi på inte av",
  da: "og at er det for med en du din vi på ikke af",
  tr: "ve bir bu için ile de çok sizin da daha",
}).map(([lang, words]) => [lang, new Set(words.split(" "))] as const)

const MIN_WORDS = 2

function guessLanguage(text: string): string | null {
  const letters = count(text, /\p{L}/gu)
  for (const [own, script, lang] of SCRIPTS)
    if (own.test(text) && 2 * count(text, script) > letters) return lang
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const [best, second] = WORDS.map(([lang, known]) => ({
    lang,
    hits: words.filter((word) => known.has(word)).length,
  })).sort((one, other) => other.hits - one.hits)
  return best && best.hits >= MIN_WORDS && best.hits > (second?.hits ?? 0) ? best.lang : null
}
