import type { Env } from "../env.ts"
import { gunzip, gunzippedBytes } from "../lib/gzip.ts"

/** Gzipped data: in a row if small, in R2 if large. */
export interface Stored {
  /** Base64, since D1 carries blobs as arrays of numbers, four times the size. */
  body: string | null
  objectKey: string | null
}

/** A D1 row holds 2 MB, and a batch of a hundred emails is the parameters of a few statements. */
const ROW_MAX_BYTES = 48 * 1024

/** Only a few larger ones fit into memory at once: a Worker has 128 MB. */
const LARGE_BYTES = 1024 * 1024

export const fitsRow = (gzipped: Buffer) => gzipped.length <= ROW_MAX_BYTES

export async function store(env: Env, gzipped: Buffer, objectKey: string): Promise<Stored> {
  if (fitsRow(gzipped)) return { body: gzipped.toString("base64"), objectKey: null }
  await env.CONTENT.put(objectKey, gzipped)
  return { body: null, objectKey }
}

/** A small row may still be large when it is unpacked. */
export const isLarge = ({ body, objectKey }: Stored) =>
  objectKey !== null ||
  (body !== null && gunzippedBytes(Buffer.from(body.slice(-8), "base64")) > LARGE_BYTES)

/** Null if it was purged. */
export async function load(env: Env, stored: Stored): Promise<Buffer | null> {
  if (stored.body !== null) return gunzip(Buffer.from(stored.body, "base64"))
  if (stored.objectKey === null) return null
  const object = await env.CONTENT.get(stored.objectKey)
  return object && gunzip(Buffer.from(await object.arrayBuffer()))
}
