const IMAGE_FORMATS = ["png", "jpeg", "gif", "webp"] as const
export type ImageFormat = (typeof IMAGE_FORMATS)[number]

interface ImageSize {
  format: ImageFormat
  width: number
  height: number
}

interface Size {
  width: number
  height: number
}

/** Reads format and size from the first bytes of an image; null for everything else. */
export function readImageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const [format, read] of Object.entries(READERS) as [ImageFormat, typeof readPng][]) {
    const size = read(bytes, view)
    if (size) return size.width > 0 && size.height > 0 ? { format, ...size } : null
  }
  return null
}

const READERS = { png: readPng, jpeg: readJpeg, gif: readGif, webp: readWebp }

const hasText = (bytes: Uint8Array, at: number, text: string) =>
  at + text.length <= bytes.length &&
  [...text].every((sign, index) => bytes[at + index] === sign.charCodeAt(0))

/** The chunk IHDR comes first. */
function readPng(bytes: Uint8Array, view: DataView): Size | null {
  if (bytes.length < 33 || !hasText(bytes, 0, "\x89PNG\r\n\x1a\n") || !hasText(bytes, 12, "IHDR")) {
    return null
  }
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

function readGif(bytes: Uint8Array, view: DataView): Size | null {
  if (bytes.length < 13 || !(hasText(bytes, 0, "GIF87a") || hasText(bytes, 0, "GIF89a")))
    return null
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

/** The frame header (SOF0 to SOF15) has the size. C4, C8 and CC are other segments. */
const isFrameHeader = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Markers without a length: TEM, RST0 to RST7. */
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/** Browsers and mail programs turn the image as its Exif orientation says. */
function readJpeg(bytes: Uint8Array, view: DataView): Size | null {
  if (!hasText(bytes, 0, "\xff\xd8\xff")) return null
  let isTurned = false
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1] as number
    if (marker === 0xff) at += 1
    else if (isAlone(marker)) at += 2
    else {
      const length = view.getUint16(at + 2)
      if (length < 2) return null
      if (isFrameHeader(marker)) {
        if (at + 9 > bytes.length) return null
        const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)]
        return isTurned ? { width: height, height: width } : { width, height }
      }
      if (marker === 0xe1) isTurned = exifOrientation(bytes, at + 4, length - 2) >= 5
      at += 2 + length
    }
  }
  return null
}

const ORIENTATION = 0x0112

/** The orientation in an Exif segment, 1 to 8; 0 without one. */
export function exifOrientation(bytes: Uint8Array, at: number, length: number): number {
  const end = at + length
  if (end > bytes.length || !hasText(bytes, at, "Exif\0\0")) return 0
  const tiff = at + 6
  const view = new DataView(bytes.buffer, bytes.byteOffset, end)
  const isLittle = hasText(bytes, tiff, "II")
  if (tiff + 8 > end) return 0
  const list = tiff + view.getUint32(tiff + 4, isLittle)
  if (list + 2 > end) return 0
  const count = view.getUint16(list, isLittle)
  for (let entry = list + 2; entry < list + 2 + 12 * count && entry + 12 <= end; entry += 12) {
    if (view.getUint16(entry, isLittle) === ORIENTATION) return view.getUint16(entry + 8, isLittle)
  }
  return 0
}

/** Lossy (VP8), lossless (VP8L) and extended (VP8X) files have the size in different places. */
function readWebp(bytes: Uint8Array, view: DataView): Size | null {
  if (bytes.length < 30 || !hasText(bytes, 0, "RIFF") || !hasText(bytes, 8, "WEBP")) return null
  if (hasText(bytes, 12, "VP8X")) {
    return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 }
  }
  if (hasText(bytes, 12, "VP8L") && bytes[20] === 0x2f) {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (hasText(bytes, 12, "VP8 ") && hasText(bytes, 23, "\x9d\x01\x2a")) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  }
  return null
}

const uint24 = (view: DataView, at: number) =>
  view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
