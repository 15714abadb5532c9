/**
 * A spreadsheet would run a text that begins like a formula: it gets a quote in front. Numbers, also
 * of phones, stay. In many countries a spreadsheet begins a new cell at a semicolon. In East Asian
 * ones, a full-width sign also begins a formula. The expression looks back last. If it looked for blanks
 * first, it would read a long run of them again from each of its blanks.
 */
export const quoteFormula = (text: string): string =>
  (/^'*(?:[=@＝＠\t\r]|[+\-＋－](?![\d\s().-]*$))/.test(text) ? `'${text}` : text).replace(
    /(?<!')(?='*[=@+\-＝＠＋－])(?<=[;|\t\n"]\s*)/g,
    "'",
  )

/** The text that `quoteFormula` has quoted. Any other text stays. */
export function unquoteFormula(text: string): string {
  if (!text.includes("'")) return text
  const plain = text
    .replace(/^'(?='*[=@+\-＝＠＋－\t\r])/, "")
    .replace(/'(?<=[;|\t\n"]\s*')(?='*[=@+\-＝＠＋－])/g, "")
  return quoteFormula(plain) === text ? plain : text
}
