import { EdgepostError } from "../../../../client/error.ts"
import { uploadImage } from "../../../api/upload.ts"
import { store } from "../../../store.ts"
import { messageOf } from "../../../ui/form/error-box.tsx"
import { resizeImage } from "../images/resize-image.ts"
import { focusBlock } from "./focus-block.ts"

/** Screens with a high density show two pixels for one. */
const DENSITY = 2

/** A file on its way into an image block. It stays after a failure, so that nothing is lost. */
export interface Upload {
  file: File
  /** The image as a data URL, as soon as it is read. */
  shown: string | null
  /** The part that was sent, from 0 to 1. */
  share: number
  failed: { message: string; mayRetry: boolean } | null
  controller: AbortController
}

interface Owner {
  /** The width at which the block is drawn at most. */
  widthOf(key: string): number
  onUploaded(key: string, url: string): void
  announce(text: string): void
}

export type Uploads = ReturnType<typeof createUploads>

/** The uploads of a canvas, by the key of their block. */
export function createUploads(owner: Owner) {
  const uploads = store<ReadonlyMap<string, Upload>>(new Map())
  /** Stops an upload that is still under way. */
  const forget = (key: string) => {
    uploads.get().get(key)?.controller.abort()
    uploads.set(new Map([...uploads.get()].filter(([other]) => other !== key)))
  }

  async function start(key: string, file: File) {
    const controller = new AbortController()
    const begun: Upload = { file, shown: null, share: 0, failed: null, controller }
    let own = begun
    const isLatest = () => uploads.get().get(key) === own
    const update = (changes: Partial<Upload>) => {
      if (own !== begun && !isLatest()) return
      own = { ...own, ...changes }
      uploads.set(new Map(uploads.get()).set(key, own))
    }
    update({})
    try {
      const image = await resizeImage(file, DENSITY * owner.widthOf(key))
      update({ shown: await toDataUrl(image) })
      focusBlock(key, "text")
      owner.announce("Uploading the image. Describe it meanwhile.")
      const { url } = await uploadImage(image, controller.signal, (share) => update({ share }))
      await loaded(url)
      if (!isLatest()) return
      owner.onUploaded(key, url)
      owner.announce("Image uploaded")
      forget(key)
    } catch (error) {
      update({ failed: { message: messageOf(error), mayRetry: error instanceof EdgepostError } })
    }
  }

  return {
    start,
    forget,
    useUpload: (key: string) => uploads.useSome((all) => all.get(key)),
  }
}

function toDataUrl(image: Blob): Promise<string> {
  const reader = new FileReader()
  reader.readAsDataURL(image)
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
  })
}

/** An image that the browser has already replaces the other one without a jump. */
async function loaded(url: string) {
  const image = new Image()
  image.src = url
  await image.decode().catch(() => {})
}
