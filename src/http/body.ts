import { ApiError } from "./errors.ts"

export const MIB = 1024 * 1024

/**
 * The whole body, measured as it is read. What is over the cap is still drained: a connection
 * closed in the middle of an upload reaches the caller as a network error, not as this reply.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const piece of request.body ?? []) {
    size += piece.byteLength
    if (size <= maxBytes) chunks.push(piece)
  }
  if (size > maxBytes) {
    throw new ApiError("payload_too_large", `The body may have at most ${maxBytes} bytes.`)
  }
  return Buffer.concat(chunks, size)
}
