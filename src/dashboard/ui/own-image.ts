import { IMAGE_PATH } from "../../lib/image-path.ts"

/** Where uploaded images are. To show one counts as no open. */
export const OWN_IMAGES = location.origin + IMAGE_PATH

/** The dashboard's policy loads images of no other host, and no pixel of its own. */
export const canShowImage = (url: string) => url.startsWith("data:") || url.startsWith(OWN_IMAGES)
