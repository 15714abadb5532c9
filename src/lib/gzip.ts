import { gunzipSync, gzipSync } from "node:zlib"

/** Level 1 makes markup nearly as small as higher ones, in a third of the time; 0 only wraps. */
export const gzip = (data: string | Uint8Array, level: 0 | 1 = 1): Buffer =>
  gzipSync(data, { level })

export const gunzip = (bytes: Uint8Array): Buffer => gunzipSync(bytes)

/** How many bytes gunzip will make of it: the last four say so. */
export const gunzippedBytes = (tail: Buffer): number => tail.readUInt32LE(tail.length - 4)
