const CHUNK_UNITS = 32 * 1024

/** Collects UTF-16 units: adding to a string one by one costs many times more time and memory. */
export function openTextBuffer() {
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
    else for (let at = 0; at < text.length; at++) chunk[length++] = text.charCodeAt(at)
  }
  function empty() {
    full += Buffer.from(chunk.buffer, 0, length * 2).toString("utf16le")
    length = 0
  }
  return {
    add,
    addText,
    isEmpty: () => length === 0 && full === "",
    text() {
      empty()
      return full
    },
  }
}
