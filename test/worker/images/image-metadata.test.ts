import { describe, expect, it } from "vitest"
import { readImageSize } from "../../../src/lib/image-size.ts"
import { withoutMetadata } from "../../../src/worker/images/image-metadata.ts"

const text = (value: string) => [...Buffer.from(value, "latin1")]
const word = (value: number) => [value >> 8, value & 0xff]
const bytes = (...parts: number[][]) => new Uint8Array(parts.flat())
const SECRET = "GPS 52.5200 N, 13.4050 E"

const segment = (marker: number, data: number[]) => [
  0xff,
  marker,
  ...word(data.length + 2),
  ...data,
]
const exif = (orientation: number) =>
  segment(0xe1, [
    ...text("Exif\0\0MM\0*\0\0\0\x08"),
    ...[...word(1), ...word(0x0112), ...word(3), 0, 0, 0, 1, ...word(orientation), 0, 0],
    ...[0, 0, 0, 0, ...text(SECRET)],
  ])
const frame = segment(0xc0, [8, ...word(10), ...word(20), 1, 1, 0x11, 0])
const scan = [...segment(0xda, [1, 1, 0, 0, 63, 0]), 1, 0xff, 0, 0xff, 0xd0, 2, 0xff, 0xd9]

describe("a JPEG", () => {
  const jpeg = (...segments: number[][]) => bytes([0xff, 0xd8], ...segments, frame, scan)

  it("keeps its pixels and loses Exif, XMP, IPTC, further pictures and what follows its end", () => {
    const personal = [
      exif(1),
      segment(0xe1, text(`http://ns.adobe.com/xap/1.0/\0${SECRET}`)),
      segment(0xed, text(`Photoshop 3.0\0${SECRET}`)),
      segment(0xe2, text(`MPF\0${SECRET}`)),
    ]
    const image = bytes([...jpeg(...personal)], text(`a second picture: ${SECRET}`))
    expect(withoutMetadata(image, "jpeg")).toEqual(jpeg())
  })

  it("keeps its profile of colours", () => {
    const image = jpeg(segment(0xe2, text("ICC_PROFILE\0\x01\x01profile")))
    expect(withoutMetadata(image, "jpeg")).toEqual(image)
  })

  it("keeps its orientation", () => {
    const kept = withoutMetadata(jpeg(exif(6)), "jpeg")
    expect(Buffer.from(kept).includes(SECRET)).toBe(false)
    expect(readImageSize(kept)).toEqual({ format: "jpeg", width: 10, height: 20 })
  })

  it("keeps each of many orientations, which take more bytes than before", () => {
    const entry = [0x01, 0x12, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0]
    const small = segment(0xe1, [...text("Exif\0\0MM"), ...entry])
    const image = jpeg(...Array<number[]>(1_000).fill(small))
    const kept = withoutMetadata(image, "jpeg")
    expect(kept.length).toBe(image.length + 1_000 * (36 - small.length))
    expect(readImageSize(kept)).toEqual({ format: "jpeg", width: 10, height: 20 })
  })
})

it("a PNG loses its chunks of text, time and Exif, and what follows its end", () => {
  const chunk = (type: string, data: string) => [
    ...[0, 0, ...word(data.length), ...text(type), ...text(data)],
    ...[1, 2, 3, 4],
  ]
  const png = (...chunks: number[][]) =>
    bytes(text("\x89PNG\r\n\x1a\n"), chunk("IHDR", "\0\0\0\x14\0\0\0\x0a\x08\x06\0\0\0"), ...chunks)
  const personal = ["eXIf", "iTXt", "tEXt", "tIME", "zTXt"].map((type) => chunk(type, SECRET))
  const pixels = [chunk("iCCP", "profile"), chunk("IDAT", "pixels"), chunk("IEND", "")]
  const image = bytes([...png(...personal, ...pixels)], text(SECRET))
  expect(withoutMetadata(image, "png")).toEqual(png(...pixels))
})

it("a WebP loses its chunks of Exif and XMP, and the marks of them", () => {
  const chunk = (type: string, data: number[]) => [
    ...[...text(type), data.length, 0, 0, 0, ...data],
    ...(data.length % 2 ? [0] : []),
  ]
  const webp = (flags: number, ...chunks: number[][]) => {
    const body = [...chunk("VP8X", [flags, 0, 0, 0, 19, 0, 0, 9, 0, 0]), ...chunks.flat()]
    return bytes(text("RIFF"), [body.length + 4, 0, 0, 0], text("WEBP"), body)
  }
  const pixels = chunk("VP8L", text("pixels!"))
  const image = webp(0b11100, pixels, chunk("EXIF", text(SECRET)), chunk("XMP ", text(SECRET)))
  expect(withoutMetadata(image, "webp")).toEqual(webp(0b10000, pixels))
})

it.each(["png", "jpeg", "webp"] as const)("a %s that breaks off stays as it is", (format) => {
  const starts = {
    png: "\x89PNG\r\n\x1a\n\0\0\xff\xffIDAT",
    jpeg: "\xff\xd8\xff\xe1\xff\xff",
    webp: "RIFF\0\0\0\0WEBPVP8X\xff",
  }
  const image = bytes(text(starts[format]))
  const kept = withoutMetadata(image, format)
  expect(kept).toEqual(image)
})
