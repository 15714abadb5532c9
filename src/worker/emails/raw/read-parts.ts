import { isUtf8 } from "node:buffer"
import { mapLimit } from "../../../lib/chunk.ts"
import { headerFields, headerValue, splitMessage } from "../../../lib/header-fields.ts"
import { withLineFeeds } from "../../../lib/line-ends.ts"
import { nextTurn } from "../../../lib/next-turn.ts"
import { truncate } from "../../../lib/text.ts"
import { BODY_TYPES, type Part, readStructure } from "./structure.ts"
import { DECODE, decoded } from "./transfer-encoding.ts"

interface MessageFile {
  filename: string | null
  contentType: string
  contentId: string | null
  /** Of a calendar, such as `REQUEST`. */
  method: string | undefined
  bytes: Buffer
}

/** What a mail program shows of a message. */
export interface ShownMessage {
  html: string | null
  text: string | null
  headers: { name: string; value: string }[]
  files: MessageFile[]
}

/** Decodes the parts of a message. All costs grow in proportion to its bytes. */
export async function readMessage(raw: Buffer): Promise<ShownMessage> {
  const { decodeWords } = await import("../../../lib/decode-words.ts")
  const leaves = (await readStructure(raw)).filter(
    ({ type, isAttached }) => !isAttached && !type.startsWith("multipart/"),
  )
  const textOf = async (type: string) => {
    const texts: string[] = []
    for (const part of leaves)
      if (part.type === type && !part.isFile) texts.push(await decodeText(raw, part))
    return texts.length === 0 ? null : texts.join("\n")
  }
  const files = leaves.filter((part) => part.isFile || !BODY_TYPES.has(part.type))
  const fields = headerFields(splitMessage(raw).head.toString("latin1"))
  return {
    html: await textOf("text/html"),
    text: await textOf("text/plain"),
    headers: fields.flatMap((field) =>
      field.name === null
        ? []
        : {
            name: field.text.slice(0, field.text.indexOf(":")).trim(),
            value: decodeWords(headerValue(field)),
          },
    ),
    files: await mapLimit(files, 1, async (part) => ({
      filename: filenameOf(part, decodeWords),
      contentType: part.type,
      contentId: part.contentId,
      method: part.parameters.method,
      bytes: await decodeBytes(raw, part),
    })),
  }
}

export async function decodeBytes(raw: Buffer, { start, end, encoding }: Part): Promise<Buffer> {
  const decode = DECODE.get(encoding)
  const bytes = raw.subarray(start, end)
  return decode ? decoded(bytes, decode) : bytes
}

/** How many bytes a character has at most: four in UTF-32, and more in an encoding. */
const BYTES_A_CHARACTER: Record<string, number> = { base64: 6, "quoted-printable": 13 }

const PIECE_BYTES = 256 * 1024
/** To decode this many takes some ten milliseconds. */
const BYTES_A_TURN = 4 * PIECE_BYTES

/** The first `most` characters. Only as much is decoded as they may take, and in turns. */
export async function decodeText(raw: Buffer, part: Part, most = raw.length): Promise<string> {
  // A line end has two characters before it has one.
  const taken = 2 * most * (BYTES_A_CHARACTER[part.encoding] ?? 4)
  const bytes = await decodeBytes(raw, { ...part, end: Math.min(part.end, part.start + taken) })
  if (bytes.length > BYTES_A_TURN) await nextTurn()
  const decoder = decoderFor(bytes, part.parameters.charset ?? "")
  let [text, held] = ["", ""]
  for (let at = 0; at < bytes.length && text.length < most; at += PIECE_BYTES) {
    if (at > 0 && at % BYTES_A_TURN === 0) await nextTurn()
    const piece = held + decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true })
    // The LF of this line end may be in the next piece.
    held = piece.endsWith("\r") ? "\r" : ""
    text += withLineFeeds(held === "" ? piece : piece.slice(0, -1))
  }
  return truncate(text + held + decoder.decode(), most)
}

/** Without a charset that is known, UTF-8 if it is, else Windows-1252. */
function decoderFor(bytes: Buffer, charset: string): TextDecoder {
  if (!/^((us-)?ascii|ansi_x3\.4-1968)?$/i.test(charset)) {
    try {
      return new TextDecoder(charset)
    } catch {}
  }
  return new TextDecoder(isUtf8(bytes) ? "utf-8" : "windows-1252")
}

export function filenameOf(part: Part, decodeWords: (text: string) => string): string | null {
  const name = parameterOf(part.fileParameters, "filename") || parameterOf(part.parameters, "name")
  return name ? decodeWords(name) : null
}

/** A parameter that may be encoded and in pieces (RFC 2231). */
function parameterOf(parameters: Record<string, string>, name: string): string | undefined {
  const pieceAt = (index: number) =>
    parameters[`${name}*${index}*`] ?? parameters[`${name}*${index}`]
  const pieces: string[] = []
  let piece = parameters[`${name}*`] ?? pieceAt(0)
  while (piece !== undefined) {
    pieces.push(piece)
    piece = pieceAt(pieces.length)
  }
  const encoded = /^([\w-]*)'[\w-]*'(.*)$/s.exec(pieces.join(""))
  if (!encoded) return parameters[name] ?? pieces.join("")
  const [, charset = "", text = ""] = encoded
  const bytes = text.replace(/%([\dA-Fa-f]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  const encodedBytes = Buffer.from(bytes, "latin1")
  return decoderFor(encodedBytes, charset).decode(encodedBytes)
}
