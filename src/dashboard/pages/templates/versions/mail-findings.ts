import type { Finding } from "./findings.ts"

/** Gmail drops all style elements of a mail whose styles have more. */
const MAX_STYLE_CHARACTERS = 16 * 1024
/** Gmail cuts a message off there. */
const MAX_HTML_BYTES = 102 * 1024
const MAX_FINDINGS = 100

/** What mail programs drop or show otherwise than a browser. */
const RULES: readonly [pattern: RegExp, message: string][] = [
  [/<script\b[^>]*>?/gi, "Mail programs remove scripts."],
  [
    /<(?:form|input|select|textarea|button)\b[^>]*>?/gi,
    "Most mail programs remove forms. Link to a page instead.",
  ],
  [
    /<link\b[^>]*\brel\s*=\s*["']?stylesheet\b[^>]*>?/gi,
    "Mail programs load no external stylesheet. Use a style element or style attributes.",
  ],
  [/@import\b[^;]*;?/gi, "Mail programs load no external stylesheet."],
  [
    /<(?:iframe|video|audio|object|embed|canvas|svg)\b[^>]*>?/gi,
    "Most mail programs remove this element. Use an image with a link.",
  ],
  [
    /\bposition\s*:\s*(?:absolute|relative|fixed|sticky)/gi,
    "Gmail and Outlook ignore position. Use a table.",
  ],
  [/\bdisplay\s*:\s*(?:inline-)?(?:flex|grid)/gi, "Outlook ignores flex and grid. Use a table."],
  [
    /<body\b[^>]*(?:background-image|background\s*=|url\()[^>]*>?/gi,
    "Outlook shows no background image of the body. Set a background color, too.",
  ],
  [
    /<img\b(?![^>]*\salt\s*=)[^>]*>?/gi,
    'Add an alt text. Use alt="" if the image is only decorative.',
  ],
]

const COMMENT = /<!--[\s\S]*?-->/g
const STYLE = /<style\b[^>]*>([\s\S]*?)<\/style>/gi

/** The places of an HTML body that a reader's mail program would not show as meant. */
export function findForMail(html: string): Finding[] {
  // Outlook reads conditional comments, and everything else skips comments.
  const read = html.replace(COMMENT, (comment) => " ".repeat(comment.length))
  const found = RULES.flatMap(([pattern, message]) =>
    [...read.matchAll(pattern)].map((match) => warn(match.index, match[0].length, message)),
  )
  const styles = [...read.matchAll(STYLE)]
  const length = styles.reduce((sum, [, css = ""]) => sum + css.length, 0)
  const [first] = styles
  if (first && length > MAX_STYLE_CHARACTERS) {
    found.push(warn(first.index, "<style".length, "Gmail ignores styles of more than 16 KB."))
  }
  if (new TextEncoder().encode(html).length > MAX_HTML_BYTES) {
    found.push(warn(0, 1, "Gmail cuts off messages of more than 102 KB."))
  }
  return found.sort((one, other) => one.from - other.from).slice(0, MAX_FINDINGS)
}

const warn = (from: number, length: number, message: string): Finding => ({
  from,
  to: from + length,
  level: "warning",
  message,
})
