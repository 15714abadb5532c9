/** The smallest files of each format that say this size; they have no pixels. */
export const pngOf = (width: number, height: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(45)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
  const view = new DataView(bytes.buffer)
  view.setUint32(16, width)
  view.setUint32(20, height)
  return bytes
}

export const gifOf = (width: number, height: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(14)
  bytes.set(new TextEncoder().encode("GIF89a"))
  const view = new DataView(bytes.buffer)
  view.setUint16(6, width, true)
  view.setUint16(8, height, true)
  return bytes
}

/** With an Exif segment if an orientation is given, and a comment before the frame. */
export function jpegOf(
  width: number,
  height: number,
  { orientation }: { orientation?: number } = {},
): Uint8Array<ArrayBuffer> {
  const word = (value: number) => [value >> 8, value & 0xff]
  const exif = orientation
    ? [
        0xff,
        0xe1,
        ...word(34),
        ...new TextEncoder().encode("Exif\0\0MM"),
        0,
        42,
        0,
        0,
        0,
        8,
      ].concat([0, 1, ...word(0x0112), 0, 3, 0, 0, 0, 1, ...word(orientation), 0, 0, 0, 0, 0, 0])
    : []
  const comment = [0xff, 0xfe, ...word(4), 0xff, 0xc0]
  const frame = [0xff, 0xc2, ...word(11), 8, ...word(height), ...word(width), 1, 1, 0x11, 0]
  return new Uint8Array([0xff, 0xd8, ...exif, ...comment, ...frame, 0xff, 0xd9])
}

type Webp = "VP8 " | "VP8L" | "VP8X"

export function webpOf(kind: Webp, width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(30)
  bytes.set(new TextEncoder().encode(`RIFF\x16\0\0\0WEBP${kind}`))
  const view = new DataView(bytes.buffer)
  if (kind === "VP8X") {
    view.setUint32(24, width - 1, true)
    view.setUint16(27, (height - 1) & 0xffff, true)
    bytes[29] = (height - 1) >> 16
  } else if (kind === "VP8L") {
    bytes[20] = 0x2f
    view.setUint32(21, (width - 1) | ((height - 1) << 14), true)
  } else {
    bytes.set([0x9d, 0x01, 0x2a], 23)
    view.setUint16(26, width, true)
    view.setUint16(28, height, true)
  }
  return bytes
}
