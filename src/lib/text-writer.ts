/** By the number of lists around a list. Deeper ones have the last. */
const INDENTS = ["", "  ", "    ", "      ", "        "]
const MAX_LISTS = 100

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const NO_BREAK_SPACE = 0xa0

const BLANK = /\s/
/** Characters without width, with which emails fill their preview. */
const INVISIBLE = /\u00ad|\u034f|\u200b|\u2060/

const [WORD, BETWEEN, NOTHING] = [0, 1, 2]
/** For each UTF-16 unit whether it belongs to a word, stands between two, or is not written. */
const KINDS = Uint8Array.from({ length: 0x10000 }, (_, unit) => {
  const character = String.fromCharCode(unit)
  return BLANK.test(character) ? BETWEEN : INVISIBLE.test(character) ? NOTHING : WORD
})

/** Writes plain text. Blanks collapse; line ends are written only between words. */
export function createTextWriter() {
  const buffer = createTextBuffer()
  let lineEnds = 0
  let gap = ""
  /** Before the next words: the number of an item, or its bullet. */
  let marker: number | string = ""
  /** The next number of each open list; null for lists without numbers. */
  const lists: (number | null)[] = []

  /** The text between the written words and the next ones. */
  function writeLead() {
    if (buffer.isEmpty()) writeIndent()
    else if (lineEnds === 0) buffer.addText(gap)
    else {
      for (let count = 0; count < lineEnds; count++) buffer.add(LINE_FEED)
      writeIndent()
    }
    lineEnds = 0
    gap = ""
    marker = ""
  }
  function writeIndent() {
    const depth = Math.min(lists.length, INDENTS.length)
    if (depth > 1) buffer.addText(INDENTS[depth - 1] as string)
    if (typeof marker === "number") {
      buffer.addNumber(marker)
      buffer.addText(". ")
    } else if (depth > 0 || marker !== "") buffer.addText(marker || "  ")
  }

  /** Puts at least this many line ends before the next words. */
  function endLines(count: number) {
    if (lineEnds < count) lineEnds = count
  }

  return {
    write(words: string) {
      let needsLead = true
      for (let at = 0; at < words.length; at++) {
        const unit = words.charCodeAt(at)
        const kind = KINDS[unit]
        if (kind === WORD) {
          if (needsLead) writeLead()
          needsLead = false
          buffer.add(unit)
        } else if (kind === BETWEEN) {
          gap ||= " "
          needsLead = true
        }
      }
    },
    /** Preformatted text: its blanks and line ends stay. */
    writeLines(lines: string) {
      let ends = 0
      let needsLead = true
      for (let at = 0; at < lines.length; at++) {
        const unit = lines.charCodeAt(at)
        if (unit === LINE_FEED || unit === CARRIAGE_RETURN) {
          if (unit === CARRIAGE_RETURN && lines.charCodeAt(at + 1) === LINE_FEED) at++
          ends++
          continue
        }
        if (needsLead || ends > 0) {
          endLines(ends)
          writeLead()
        }
        needsLead = false
        ends = 0
        buffer.add(unit === NO_BREAK_SPACE ? SPACE : unit)
      }
      endLines(ends)
    },
    /** Writes directly after the last word. */
    append: buffer.addText,
    endLines,
    breakLine() {
      lineEnds = Math.min(2, lineEnds + 1)
    },
    writeRule() {
      writeLead()
      buffer.addText("---")
      endLines(2)
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
      const last = lists.length - 1
      const number = last < 0 ? null : (lists[last] as number | null)
      marker = number ?? "- "
      if (number !== null) lists[last] = number + 1
    },
    text: buffer.text,
  }
}

const CHUNK_UNITS = 32 * 1024

const ZERO = 0x30
const MAX_DIGITS = 10

/** Collects UTF-16 units: adding to a string one by one costs many times more time and memory. */
function createTextBuffer() {
  const chunk = new Uint16Array(CHUNK_UNITS)
  let length = 0
  let full = ""

  function add(unit: number) {
    if (length === CHUNK_UNITS) empty()
    chunk[length++] = unit
  }
  function addText(text: string) {
    if (length + text.length > CHUNK_UNITS) empty()
    if (text.length > CHUNK_UNITS) full += text
    else {
      for (let at = 0; at < text.length; at++) chunk[length + at] = text.charCodeAt(at)
      length += text.length
    }
  }
  /** A whole number of at most ten digits. A string for each number takes more time. */
  function addNumber(number: number) {
    if (number < 0) return addText(String(number))
    if (length + MAX_DIGITS > CHUNK_UNITS) empty()
    let end = length + 1
    for (let rest = number; rest > 9; rest = (rest / 10) | 0) end++
    for (let at = end, rest = number; at > length; rest = (rest / 10) | 0) {
      chunk[--at] = ZERO + (rest % 10)
    }
    length = end
  }
  function empty() {
    full += Buffer.from(chunk.buffer, 0, length * 2).toString("utf16le")
    length = 0
  }
  return {
    add,
    addText,
    addNumber,
    isEmpty: () => length === 0 && full === "",
    text() {
      empty()
      return full
    },
  }
}
