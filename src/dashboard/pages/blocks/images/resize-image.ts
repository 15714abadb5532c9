import { MAX_IMAGE_BYTES } from "../../../../worker/images/contract.ts"
import { fileSize } from "../../../ui/export/file-size.ts"

/** What is uploaded as it is drawn; each other format that the browser reads becomes a PNG. */
const KEPT = ["image/png", "image/jpeg", "image/webp"]
const QUALITY = 0.9

const UNREADABLE = "Email clients cannot show this image. Use PNG, JPEG, GIF or WebP."

/**
 * The image, at most `maxWidth` pixels wide. A GIF stays as it is, since it may move. A JPEG is always
 * drawn again: many mail programs ignore its rotation, and its metadata may tell where it was taken.
 */
export async function resizeImage(file: File, maxWidth: number): Promise<Blob> {
  const image = await createImageBitmap(file).catch(() => {
    throw new Error(UNREADABLE)
  })
  const isSmall = image.width <= maxWidth
  const isKept = file.type === "image/gif" || (isSmall && /png|webp/.test(file.type))
  const resized = isKept ? file : await draw(image, Math.min(maxWidth, image.width), file.type)
  image.close()
  if (resized.size > MAX_IMAGE_BYTES) throw new Error(tooLarge(resized))
  return resized
}

function draw(image: ImageBitmap, width: number, type: string): Promise<Blob> {
  const height = Math.max(1, Math.round((image.height * width) / image.width))
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext("2d")
  if (!context) throw new Error("This browser cannot resize images.")
  context.imageSmoothingQuality = "high"
  context.drawImage(image, 0, 0, width, height)
  return canvas.convertToBlob({ type: KEPT.includes(type) ? type : "image/png", quality: QUALITY })
}

const tooLarge = ({ size }: Blob) =>
  `The image is ${fileSize(size)}. The limit is ${fileSize(MAX_IMAGE_BYTES)}.`
