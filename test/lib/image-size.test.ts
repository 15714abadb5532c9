import { describe, expect, it } from "vitest"
import { readImageSize } from "../../src/lib/image-size.ts"
import { gifOf, jpegOf, pngOf, webpOf } from "../support/images.ts"

describe("the size of an image", () => {
  it.each([
    ["png", pngOf(70_000, 2), 70_000, 2],
    ["gif", gifOf(320, 65_535), 320, 65_535],
    ["jpeg", jpegOf(1200, 600), 1200, 600],
    ["webp", webpOf("VP8 ", 640, 480), 640, 480],
    ["webp", webpOf("VP8L", 16_384, 300), 16_384, 300],
    ["webp", webpOf("VP8X", 5, 66_000), 5, 66_000],
  ])("of a %s is read from its bytes", (format, bytes, width, height) => {
    expect(readImageSize(bytes)).toEqual({ format, width, height })
  })

  it("is as the jpeg is shown, turned by its Exif orientation", () => {
    expect(readImageSize(jpegOf(40, 30, { orientation: 3 }))).toMatchObject({
      width: 40,
      height: 30,
    })
    expect(readImageSize(jpegOf(40, 30, { orientation: 6 }))).toMatchObject({
      width: 30,
      height: 40,
    })
  })

  it("is read from a view into other bytes", () => {
    const around = new Uint8Array(100)
    around.set(pngOf(7, 8), 20)
    expect(readImageSize(around.subarray(20, 65))).toMatchObject({ width: 7, height: 8 })
  })

  it.each([
    ["nothing", ""],
    ["html", "<!doctype html><script>alert(1)</script>"],
    ["svg", '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'],
    ["a bitmap", "BM6\0\0\0\0\0\0\x006\0\0\0(\0\0\0"],
    ["a sound", "RIFF\x16\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x44\xac\0\0"],
  ])("is unknown of %s", (_name, text) => {
    expect(readImageSize(Uint8Array.from(text, (sign) => sign.charCodeAt(0)))).toBeNull()
  })

  it.each([
    ["png", pngOf(0, 1)],
    ["gif", gifOf(1, 0)],
    ["jpeg", jpegOf(0, 0)],
  ])("is unknown of a %s without pixels", (_format, bytes) => {
    expect(readImageSize(bytes)).toBeNull()
  })

  it("is unknown of a file that is cut off, at any byte", () => {
    for (const whole of [
      pngOf(9, 9).subarray(0, 33),
      jpegOf(9, 9, { orientation: 6 }).subarray(0, 53),
      gifOf(9, 9).subarray(0, 13),
      webpOf("VP8X", 9, 9),
    ]) {
      expect(readImageSize(whole)).not.toBeNull()
      for (let length = 0; length < whole.length; length++) {
        expect(readImageSize(whole.subarray(0, length))).toBeNull()
      }
    }
  })

  it("takes bytes that only look like a jpeg without reading outside", () => {
    for (let length = 0; length < 70; length++) {
      const bytes = jpegOf(9, 9, { orientation: 6 })
      bytes[Math.min(length, bytes.length - 1)] = 0xff
      expect(() => readImageSize(bytes)).not.toThrow()
    }
  })
})
