const MAX_INDENTS = 4
const INDENT = "  "

/** Characters without a width, with which mail keeps its preview empty. */
const INVISIBLE = /\u00ad|\u034f|\u200b|\u2060/g

/** Writes plain text: blanks collapse, and line ends are written only between two words. */
export function openTextWriter() {
  let written = ""
  let lineEnds = 0
  let gap = ""
  let depth = 0
  let marker = ""

  /** Between what is written and the words that follow. */
  function lead(): string {
    const isLineStart = written === "" || lineEnds > 0
    const ends = written === "" ? "" : "\n".repeat(lineEnds)
    const between = isLineStart ? ends + indent() : gap
    lineEnds = 0
    gap = ""
    marker = ""
    return between
  }
  const indent = () =>
    depth === 0 ? marker : INDENT.repeat(Math.min(depth - 1, MAX_INDENTS)) + (marker || INDENT)

  return {
    write(words: string) {
      const text = words.replace(INVISIBLE, "").replace(/\s+/g, " ")
      const trimmed = text.trim()
      if (text.startsWith(" ")) gap ||= " "
      if (trimmed === "") return
      written += lead() + trimmed
      if (text.endsWith(" ")) gap = " "
    },
    /** Preformatted text: its blanks and line ends stay. */
    writeLines(lines: string) {
      const text = lines.replace(/\r\n?/g, "\n").replace(/\u00a0/g, " ")
      const start = text.search(/[^\n]/)
      lineEnds = Math.max(lineEnds, start < 0 ? text.length : start)
      if (start < 0) return
      let end = text.length
      while (text[end - 1] === "\n") end--
      written += lead()
      written += text.slice(start, end).replaceAll("\n", `\n${indent()}`)
      lineEnds = text.length - end
    },
    /** Right behind the last word. */
    append(text: string) {
      written += text
    },
    /** At least so many line ends come before the next words. */
    endLines(count: number) {
      lineEnds = Math.max(lineEnds, count)
    },
    breakLine() {
      lineEnds = Math.min(2, lineEnds + 1)
    },
    startCell() {
      gap = " | "
    },
    startItem(itemMarker: string) {
      marker = itemMarker
    },
    setDepth(listDepth: number) {
      depth = listDepth
      marker = ""
    },
    text: () => written,
  }
}
