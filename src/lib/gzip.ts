import { gunzipSync, gzipSync } from "node:zlib"

export const gzip = (data: string | Uint8Array): Buffer => gzipSync(data)

export const gunzip = (bytes: Uint8Array): Buffer => gunzipSync(bytes)

/** How much gunzip will make of it: gzip's last four bytes. */
export const gunzippedBytes = (bytes: Uint8Array): number =>
  Buffer.from(bytes).readUInt32LE(bytes.length - 4)
