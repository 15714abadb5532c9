import { exifOrientation, type ImageFormat } from "../../lib/image-size.ts"

/**
 * An image without what a camera or a program wrote about place, time, device and author, and without what
 * follows its end. The pixels and a JPEG's orientation stay. What cannot be read stays as it is. A GIF has
 * no such data.
 */
export function withoutMetadata(bytes: Uint8Array, format: ImageFormat): Uint8Array {
  if (format === "gif") return bytes
  const from = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // An orientation may take more bytes than it was read from, but never twice as many.
  const into = Buffer.alloc(2 * bytes.length)
  let [taken, length] = [0, 0]
  const keepTo = (at: number) => {
    length += from.copy(into, length, taken, at)
  }
  const end = { png: walkPng, jpeg: walkJpeg, webp: walkWebp }[format](bytes, (at, to, instead) => {
    keepTo(at)
    if (instead) into.set(instead, length)
    length += instead?.length ?? 0
    taken = to
  })
  if (taken === 0 && end === bytes.length) return bytes
  keepTo(end)
  const kept = new Uint8Array(into.subarray(0, length))
  if (format === "webp") markWebp(kept)
  return kept
}

/** Takes the bytes between two places out. */
type TakeOut = (at: number, to: number, instead?: Uint8Array) => void

const textAt = (bytes: Uint8Array, at: number, length: number) =>
  String.fromCharCode(...bytes.subarray(at, at + length))

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** PNG 3, section 11.3: chunks of text, time and Exif. */
const PERSONAL_CHUNKS = ["eXIf", "iTXt", "tEXt", "tIME", "zTXt"]
const PNG_SIGNATURE_BYTES = 8

/** Answers where the image ends. */
function walkPng(bytes: Uint8Array, takeOut: TakeOut): number {
  const view = viewOf(bytes)
  for (let at = PNG_SIGNATURE_BYTES; at + 12 <= bytes.length; ) {
    const end = at + 12 + view.getUint32(at)
    if (end > bytes.length) break
    const type = textAt(bytes, at + 4, 4)
    if (PERSONAL_CHUNKS.includes(type)) takeOut(at, end)
    if (type === "IEND") return end
    at = end
  }
  return bytes.length
}

const [APP1, APP2, APP13, SOS, EOI] = [0xe1, 0xe2, 0xed, 0xda, 0xd9]

/** IPTC, and the list of further pictures. */
const isPersonal = (bytes: Uint8Array, marker: number, at: number) =>
  marker === APP13 || (marker === APP2 && textAt(bytes, at + 4, 4) === "MPF\0")

function walkJpeg(bytes: Uint8Array, takeOut: TakeOut): number {
  const view = viewOf(bytes)
  for (let at = 2; at + 2 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] as number
    if (marker === EOI) return at + 2
    const length = at + 4 <= bytes.length ? view.getUint16(at + 2) : 0
    const end = at + 2 + length
    if (length < 2 || end > bytes.length) break
    if (marker === APP1)
      takeOut(at, end, orientationOnly(exifOrientation(bytes, at + 4, length - 2)))
    else if (isPersonal(bytes, marker, at)) takeOut(at, end)
    at = marker === SOS ? endOfScan(bytes, end) : end
  }
  return bytes.length
}

/** In a scan, 0xFF is followed by 0 or by one of the eight restart markers. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = from; ; at++) {
    at = bytes.indexOf(0xff, at)
    if (at < 0 || at + 1 >= bytes.length) return bytes.length
    const next = bytes[at + 1] as number
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
}

/** An Exif segment with one entry. Browsers and mail programs turn the image as it says. */
function orientationOnly(orientation: number): Uint8Array {
  if (orientation < 2 || orientation > 8) return new Uint8Array()
  const header = [0xff, APP1, 0, 34, ...Buffer.from("Exif\0\0MM"), 0, 42, 0, 0, 0, 8]
  const entry = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
  return new Uint8Array([...header, 0, 1, ...entry, 0, 0, 0, 0])
}

const WEBP_HEADER_BYTES = 12
const HAS_EXIF_OR_XMP = 0b1100

function walkWebp(bytes: Uint8Array, takeOut: TakeOut): number {
  const view = viewOf(bytes)
  for (let at = WEBP_HEADER_BYTES; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true)
    const end = at + 8 + size + (size % 2)
    if (end > bytes.length) break
    if (["EXIF", "XMP "].includes(textAt(bytes, at, 4))) takeOut(at, end)
    at = end
  }
  return bytes.length
}

/** The new size, and no mark of what was taken out. */
function markWebp(bytes: Uint8Array): void {
  viewOf(bytes).setUint32(4, bytes.length - 8, true)
  if (textAt(bytes, WEBP_HEADER_BYTES, 4) === "VP8X") {
    bytes[20] = (bytes[20] as number) & ~HAS_EXIF_OR_XMP
  }
}
