import { gunzipSync, gzipSync } from "node:zlib"

export const gzip = (data: string | Uint8Array): Buffer => gzipSync(data)

export const gunzip = (bytes: Uint8Array): Buffer => gunzipSync(bytes)
