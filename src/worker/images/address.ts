import { IMAGE_PATH } from "../../lib/image-path.ts"
import { under } from "../emails/tracking/links.ts"
import type { Settings } from "../platform/env.ts"

/** Where they are in R2. No rule of the bucket deletes them. */
export const OBJECT_PREFIX = "images/"

export const imageUrl = (settings: Settings, objectKey: string): string =>
  under(settings, IMAGE_PATH + objectKey.slice(OBJECT_PREFIX.length))
