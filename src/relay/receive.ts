import type { SMTPServerDataStream } from "smtp-server"
import { createPieces } from "../lib/pieces.ts"
import { refusal } from "./replies.ts"
import type { Slots } from "./slots.ts"

export const MAX_MESSAGE_BYTES = 25 * 1024 * 1024

/** A message up to this size needs no slot. */
const SMALL_BYTES = 64 * 1024
const PATIENCE_MS = 60_000

/**
 * Reads a message. A large message waits for a slot before its rest is read, and holds the slot until
 * `release`. A refused message is read to its end, too, because the SMTP reply comes after that.
 */
export async function receive(
  stream: SMTPServerDataStream,
  slots: Slots,
  team: string,
): Promise<{ bytes: Buffer; release(): void }> {
  let collected = createPieces()
  let size = 0
  let slot: (() => void) | null | undefined
  const release = () => slot?.()
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > SMALL_BYTES && slot === undefined) slot = await slots.take(team, PATIENCE_MS)
      if (size > MAX_MESSAGE_BYTES || slot === null) collected = createPieces()
      else collected.add(chunk)
    }
  } catch (error) {
    release()
    throw error
  }
  if (size > MAX_MESSAGE_BYTES) {
    release()
    throw refusal(552, `5.3.4 A message may have at most ${MAX_MESSAGE_BYTES} bytes`)
  }
  if (slot === null) throw refusal(451, "4.3.2 Too many large messages at once, try again later")
  return { bytes: collected.join(), release }
}
