const MAX_INDENTS = 4
const INDENT = "  "
const MAX_LISTS = 100

/** Characters without width, with which emails fill their preview. */
const INVISIBLE = /\u00ad|\u034f|\u200b|\u2060/g

/** Writes plain text. Blanks collapse; line ends are written only between words. */
export function openTextWriter() {
  let written = ""
  let lineEnds = 0
  let gap = ""
  let marker = ""
  /** The next number of each open list; null for lists without numbers. */
  const lists: (number | null)[] = []

  /** The text between the written words and the next ones. */
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
    lists.length === 0
      ? marker
      : INDENT.repeat(Math.min(lists.length - 1, MAX_INDENTS)) + (marker || INDENT)

  /** Puts at least this many line ends before the next words. */
  function endLines(count: number) {
    lineEnds = Math.max(lineEnds, count)
  }

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
    /** Writes directly after the last word. */
    append(text: string) {
      written += text
    },
    endLines,
    breakLine() {
      lineEnds = Math.min(2, lineEnds + 1)
    },
    startCell() {
      gap = " | "
    },
    /** Items are numbered from `first`; null means no numbers. */
    startList(first: number | null) {
      endLines(lists.length > 0 ? 1 : 2)
      if (lists.length < MAX_LISTS) lists.push(first)
      marker = ""
    },
    endList() {
      lists.pop()
      endLines(lists.length > 0 ? 1 : 2)
      marker = ""
    },
    startItem() {
      const number = lists.at(-1) ?? null
      marker = number === null ? "- " : `${number}. `
      if (number !== null) lists[lists.length - 1] = number + 1
    },
    text: () => written,
  }
}
