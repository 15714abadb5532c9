import type { Publication } from "./history.ts"

const encoder = new TextEncoder()

export const CONNECTED = encoder.encode(": connected\n\n")
export const PING = encoder.encode(": ping\n\n")

export const resetFrame = (sequence: number) =>
  encoder.encode(`id: ${sequence}\nevent: reset\ndata: {}\n\n`)

/** Readers that know nothing of received mail hear nothing of it. */
export function changeFrames(
  { last, changes }: Publication,
  { includesReceived }: { includesReceived: boolean },
): Uint8Array {
  const before = last - changes.length
  const frames = changes.map(({ type, id }, index) =>
    type === "received" && !includesReceived
      ? ""
      : `id: ${before + index + 1}\nevent: change\ndata: ${JSON.stringify({ type, id })}\n\n`,
  )
  return encoder.encode(frames.join(""))
}
