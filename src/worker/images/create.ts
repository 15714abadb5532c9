import { hash } from "node:crypto"
import { sql } from "drizzle-orm"
import { randomBase64url } from "../../lib/crypto.ts"
import { newId } from "../../lib/id.ts"
import { type ImageFormat, readImageSize } from "../../lib/image-size.ts"
import { DAY_MS } from "../../lib/time.ts"
import type { Ctx } from "../platform/context.ts"
import { findInBuckets, ownBucket } from "../platform/db/buckets.ts"
import { excluded } from "../platform/db/columns.ts"
import { unlessBeingWritten } from "../platform/db/overflow.ts"
import { invalid, orNotFound } from "../platform/http/errors.ts"
import { imageUrl, OBJECT_PREFIX } from "./address.ts"
import type { Image } from "./contract.ts"
import { withoutMetadata } from "./image-metadata.ts"
import { images } from "./table.ts"

const EXTENSIONS: Record<ImageFormat, string> = {
  png: "png",
  jpeg: "jpg",
  gif: "gif",
  webp: "webp",
}

/** A browser needs 200 MB to show it. */
const MAX_PIXELS = 50_000_000

/** 128 random bits. */
const NAME_BYTES = 16

export async function createImage(ctx: Ctx, uploaded: Uint8Array): Promise<Image> {
  const { team } = await ctx.caller()
  const size = readImageSize(uploaded)
  if (!size) throw invalid([], "The file must be an image: png, jpeg, gif or webp")
  const { format, width, height } = size
  if (width * height > MAX_PIXELS) throw invalid([], "An image has at most 50 megapixels")
  const bytes = withoutMetadata(uploaded, format)
  const objectKey = `${OBJECT_PREFIX}${randomBase64url(NAME_BYTES)}.${EXTENSIONS[format]}`
  const [[row]] = await ctx.batch([
    ctx.db
      .insert(images)
      .values({
        teamId: team.id,
        sha256: hash("sha256", bytes, "hex"),
        id: newId("image", ctx.now()),
        objectKey,
        width,
        height,
        bytes: bytes.length,
        createdAt: ctx.now(),
        checkAt: ctx.now() + DAY_MS,
      })
      .onConflictDoUpdate({
        target: [images.teamId, images.sha256],
        set: {
          objectKey: sql`iif(${images.deletedAt} is null, ${images.objectKey}, ${excluded(images.objectKey)})`,
          unusedSince: null,
          deletedAt: null,
          checkAt: sql`${excluded(images.checkAt)}`,
        },
      })
      .returning(),
  ])
  const image = orNotFound(row, "Image")
  // The row comes first, so that no object stays without a row. A repeated upload mends a lost object.
  const known = await findInBuckets(ctx.env, (bucket) => bucket.head(image.objectKey))
  if (!known) {
    const httpMetadata = { contentType: `image/${format}` }
    // Another upload that writes it writes the same bytes.
    const put = ownBucket(ctx.env).put(image.objectKey, bytes, { httpMetadata })
    await put.catch(unlessBeingWritten)
  }
  return { id: image.id, url: imageUrl(ctx.settings, image.objectKey), width, height }
}
