import type { Env } from "../env.ts"
import { gunzip, gunzippedBytes } from "../lib/gzip.ts"

/** Gzipped data: in the row if it is small, in R2 if it is large. */
export interface Stored {
  /** Base64, since D1 transfers blobs as arrays of numbers, at four times the size. */
  body: string | null
  objectKey: string | null
}

/** D1 takes 2 MB a parameter, and one parameter may have the contents of many emails. */
const ROW_MAX_BYTES = 48 * 1024

/** Only a few larger ones fit into memory at once: a Worker has 128 MB. */
const LARGE_BYTES = 1024 * 1024

export const fitsRow = (gzipped: Buffer) => gzipped.length <= ROW_MAX_BYTES

export async function store(env: Env, gzipped: Buffer, objectKey: string): Promise<Stored> {
  if (fitsRow(gzipped)) return { body: gzipped.toString("base64"), objectKey: null }
  await env.CONTENT.put(objectKey, gzipped)
  return { body: null, objectKey }
}

/** Data that is small in the row may be large when it is unpacked. */
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
