import { gunzipSync, gzipSync } from "node:zlib"

export const gzip = (data: string | Uint8Array): Buffer => gzipSync(data)

export const gunzip = (bytes: Uint8Array): Buffer => gunzipSync(bytes)

/** How many bytes gunzip will make of it: the last four say so. */
export const gunzippedBytes = (tail: Buffer): number => tail.readUInt32LE(tail.length - 4)
