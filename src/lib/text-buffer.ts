const CHUNK_UNITS = 32 * 1024

const ZERO = 0x30
const MAX_DIGITS = 10

/** Collects UTF-16 units: adding to a string one by one costs many times more time and memory. */
export function createTextBuffer() {
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
