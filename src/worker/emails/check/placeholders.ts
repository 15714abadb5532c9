const MAX_NAMED = 5

/** The placeholders of the usual template languages; each alternative is bounded. */
const PLACEHOLDER =
  /\{\{[^{}\n]{1,80}\}\}|\{%[^{}%\n]{1,80}%\}|<%[^<>%\n]{1,80}%>|\$\{[A-Za-z_][\w.]{0,60}\}|\*\|[A-Za-z_][\w:.]{0,60}\|\*/g

/** The placeholders that nothing has filled in: each once, at most five. */
export function findPlaceholders(texts: readonly string[]): string[] {
  const found = new Set<string>()
  for (const text of texts) {
    for (const [placeholder] of text.matchAll(PLACEHOLDER)) {
      found.add(placeholder)
      if (found.size === MAX_NAMED) return [...found]
    }
  }
  return [...found]
}
