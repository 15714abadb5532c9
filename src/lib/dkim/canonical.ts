import { createHash } from "node:crypto"
import type { HeaderField } from "../header-fields.ts"
import { nextTurn } from "../next-turn.ts"

export const CANONICALIZATIONS = ["simple", "relaxed"] as const
export type Canonicalization = (typeof CANONICALIZATIONS)[number]

/** A header field without its last line end. Each line end within is a CRLF. */
function canonicalField(text: string, form: Canonicalization): string {
  if (form === "simple") return text.replace(/\r?\n/g, "\r\n")
  const colon = text.indexOf(":")
  const value = text
    .slice(colon + 1)
    .replace(/\r?\n/g, "")
    .replace(/[ \t]+/g, " ")
    .replace(/^ | $/g, "")
  return `${text
    .slice(0, colon)
    .replace(/[ \t]+$/, "")
    .toLowerCase()}:${value}`
}

/** What a signature signs of the header: of fields that repeat, the last one first, and then the signature itself. */
export function signedHeader(
  fields: readonly HeaderField[],
  signature: HeaderField,
  names: readonly string[],
  form: Canonicalization,
): Uint8Array<ArrayBuffer> {
  const left = Map.groupBy(
    fields.filter((field) => field !== signature),
    ({ name }) => name,
  )
  const signed = names.flatMap((name) => left.get(name)?.pop() ?? [])
  const texts = signed.map(({ text }) => `${canonicalField(text, form)}\r\n`)
  const own = canonicalField(withoutSignature(signature.text), form)
  return Uint8Array.from(Buffer.from(texts.join("") + own, "latin1"))
}

/** The value of `b=` is not part of what it signs. */
function withoutSignature(text: string): string {
  const start = text.indexOf(":") + 1
  const value = text.slice(start).replace(/((?:^|;)[ \t\r\n]*b[ \t\r\n]*=)[^;]*/, "$1")
  return text.slice(0, start) + value
}

const [TAB, LF, CR, SPACE] = [9, 10, 13, 32]
const PIECE_BYTES = 65_536
const BYTES_A_TURN = 4 * 1024 * 1024

/** The SHA-256 of a body in base64, read once and without a copy. An LF alone is a line end. */
export async function hashBody(body: Uint8Array, form: Canonicalization): Promise<string> {
  const hash = createBodyHash(body, form)
  for (let at = 0; at < body.length; at += BYTES_A_TURN) {
    if (at > 0) await nextTurn()
    hash.read(at, Math.min(body.length, at + BYTES_A_TURN))
  }
  return hash.end()
}

function createBodyHash(body: Uint8Array, form: Canonicalization) {
  const sha256 = createHash("sha256")
  const piece = new Uint8Array(PIECE_BYTES)
  let used = 0
  const write = (byte: number) => {
    if (used === PIECE_BYTES) {
      sha256.update(piece)
      used = 0
    }
    piece[used++] = byte
  }
  // Line ends count if something follows them, blanks if something follows on their line.
  let [lineEnds, hasBlank, isEmpty] = [0, false, true]
  const writeLineEnds = () => {
    for (; lineEnds > 0; lineEnds--) {
      write(CR)
      write(LF)
    }
  }
  return {
    read(from: number, to: number): void {
      for (let at = from; at < to; at++) {
        const byte = body[at] as number
        if (byte === CR && body[at + 1] === LF) continue
        if (byte === LF) {
          lineEnds++
          hasBlank = false
        } else if (form === "relaxed" && (byte === SPACE || byte === TAB)) hasBlank = true
        else {
          writeLineEnds()
          if (hasBlank) write(SPACE)
          hasBlank = false
          isEmpty = false
          write(byte)
        }
      }
    },
    end(): string {
      lineEnds = isEmpty && form === "relaxed" ? 0 : 1
      writeLineEnds()
      return sha256.update(piece.subarray(0, used)).digest("base64")
    },
  }
}
