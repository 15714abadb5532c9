import { gunzipSync, gzipSync } from "node:zlib"

/** Level 1 takes a third of the time of higher levels and is nearly as small. 0 only wraps. */
export const gzip = (data: string | Uint8Array, level: 0 | 1 = 1): Buffer =>
  gzipSync(data, { level })

export const gunzip = (bytes: Uint8Array): Buffer => gunzipSync(bytes)

/** The size after gunzip, which the last four bytes contain. */
export const gunzippedBytes = (tail: Buffer): number => tail.readUInt32LE(tail.length - 4)
