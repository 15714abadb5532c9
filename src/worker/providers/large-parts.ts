import { UnwritableMessage } from "./provider.ts"

/** The longest line of RFC 2045, in characters. */
const LINE_CHARACTERS = 76
/** A piece has about 600 KB, so that a large part is not in memory a second time. */
const PIECE_CHARACTERS = LINE_CHARACTERS * 8_192
const LINE_END = Buffer.from("\r\n")

export type LargeParts = ReturnType<typeof createLargeParts>

/**
 * The large parts of a message, in base64. A library takes long to write them: it writes the
 * message with a stand-in for each, and the parts take their places here.
 */
export function createLargeParts(emailId: string) {
  const parts = new Map<string, string>()
  return {
    /** A short text in base64 for the place of the part. No other part of the message has it. */
    standIn(base64: string): string {
      const number = String(parts.size).padStart(2, "0")
      const standIn = Buffer.from(`${emailId}_${number}`).toString("base64")
      parts.set(standIn, base64)
      return standIn
    },

    /** The bytes of a part that is read from the message: those of the large one it stands for. */
    bytesOf(content: Buffer): number {
      const base64 = parts.get(content.toString("base64"))
      return base64 === undefined ? content.length : Buffer.byteLength(base64, "base64")
    },

    /** The message in pieces, with the parts in their places. Throws if a place is not there. */
    putInto(message: Buffer): Iterable<Buffer> {
      if (parts.size === 0) return [message]
      const places = new RegExp(`(${[...parts.keys()].join("|")})`)
      const pieces = message.toString("latin1").split(places)
      const found = pieces.filter((piece) => parts.has(piece))
      if (found.length !== parts.size || new Set(found).size !== parts.size)
        throw new UnwritableMessage("A large part has no place in the message")
      return write(pieces, parts)
    },
  }
}

function* write(pieces: readonly string[], parts: ReadonlyMap<string, string>) {
  for (const piece of pieces) {
    const base64 = parts.get(piece)
    if (base64 === undefined) yield Buffer.from(piece, "latin1")
    else yield* linesOf(base64)
  }
}

function* linesOf(base64: string): Generator<Buffer> {
  for (let from = 0; from < base64.length; from += PIECE_CHARACTERS) {
    const to = from + PIECE_CHARACTERS
    yield inLines(Buffer.from(base64.slice(from, to), "latin1"), to < base64.length)
  }
}

/** Base64 in lines. The last line has an end, too, if another piece follows. */
function inLines(base64: Buffer, isFollowed: boolean): Buffer {
  const lines = Math.ceil(base64.length / LINE_CHARACTERS)
  const ends = isFollowed ? lines : lines - 1
  const written = Buffer.alloc(base64.length + 2 * ends)
  written.set(base64)
  // From the last line on, so that no line is written over.
  for (let line = lines - 1; line >= 0; line--) {
    const from = line * LINE_CHARACTERS
    const to = from + 2 * line
    written.copyWithin(to, from, Math.min(from + LINE_CHARACTERS, base64.length))
    if (line < ends) written.set(LINE_END, to + LINE_CHARACTERS)
  }
  return written
}
