/** What the judge says, by kind. The first that fits counts. */
const KINDS = {
  "contents changed": /was handed over as|lost its content|has its content/,
  doubled: /twice|handed over again|accepted twice|of its own/,
  untold: /untold|never read|is told already|was reset|is next|has no delivery|no event/,
  "counters off": /counts |days count|recipients$/,
  "too fast": /handed over within/,
  stuck: /left over|is pending|open emails|is open| late$/,
  lost: /is lost|did not mail|not suppressed/,
  "otherwise wrong": /./,
}
export type Kind = keyof typeof KINDS
export const KIND_NAMES = Object.keys(KINDS) as Kind[]

export const kindOf = (wrong: string): Kind =>
  KIND_NAMES.find((kind) => KINDS[kind].test(wrong)) ?? "otherwise wrong"
