import { gunzipSync, gzipSync } from "node:zlib"

/** Level 1 takes a third of the time of higher levels and is nearly as small. */
export const gzip = (data: string | Uint8Array): Buffer => gzipSync(data, { level: 1 })

export const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b

export const gunzip = (bytes: Uint8Array): Buffer => gunzipSync(bytes)

/** The size after gunzip, which the last four bytes contain. */
export const gunzippedBytes = (tail: Buffer): number => tail.readUInt32LE(tail.length - 4)
