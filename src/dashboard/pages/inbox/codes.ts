const URLS = /https?:\/\/\S+/gi
/** "482 913", "482-913". */
const GROUPED = /(?<![\w.,:/#+-])\d{3}[ -]\d{3,4}(?![\w:/%-]|[.,]\d)/g
/** "7391": no price, time, date or part of a longer number. */
const DIGITS = /(?<![\w.,:/#€$£+-]|[€$£] )\d{4,8}(?![\w:/%-]|[.,]\d| ?[€$£])/g
/** "QX7F-29KD", "AB12CD34": capitals with a digit among them. */
const TOKENS =
  /(?<![\w-])(?=[A-Z-]*\d)(?=[\d-]*[A-Z])(?:[A-Z\d]{3,8}(?:-[A-Z\d]{3,8})+|[A-Z\d]{6,12})(?![\w-])/g
const YEAR = /^(19|20)\d\d$/
const SECRET_NAMES = /token|code|otp|pin|key|secret|ticket|nonce|signature/i

const SHOWN = 8

/** What somebody would copy out of a message: sign-in codes and the like. */
export function codesIn(text: string): string[] {
  const words = text.replace(URLS, " ")
  const found = [GROUPED, TOKENS, DIGITS].flatMap((pattern) => words.match(pattern) ?? [])
  return [...new Set(found.filter((code) => !YEAR.test(code)))].slice(0, SHOWN)
}

/** Tokens in links: "https://example.com/sign-in?token=abc" has one. */
export function tokensIn(links: readonly string[]): { name: string; value: string }[] {
  const found = links.flatMap((link) => [...(URL.parse(link)?.searchParams ?? [])])
  const tokens = found.filter(([name, value]) => SECRET_NAMES.test(name) && value.length >= 4)
  return [...new Map(tokens.map(([name, value]) => [value, { name, value }])).values()].slice(
    0,
    SHOWN,
  )
}
