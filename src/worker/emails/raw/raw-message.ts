import type { Mailbox } from "../../../lib/address.ts"

/** A message as its sender wrote it, without the header fields that may not be sent. */
export interface RawMessage {
  from: Mailbox
  to: Mailbox[]
  cc: Mailbox[]
  replyTo: Mailbox[]
  subject: string
  /** The sender's own `Message-ID`, if it is on the domain of `from`. */
  messageId: string | undefined
  hasDate: boolean
  hasMimeVersion: boolean
  /** The header block with the empty line, and the body. */
  pieces: readonly Buffer[]
}
