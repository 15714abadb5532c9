import type { Received } from "./contract.ts"
import type { ReceivedRow } from "./table.ts"

const UNCHECKED = { state: "unverified" as const, domain: null, dkim: [] }

/** A message as the API shows it. Before it is worked off, only its envelope is known. */
export function toReceived(row: Omit<ReceivedRow, "body">): Received {
  const { details } = row
  return {
    ...row,
    from: row.sender,
    to: details.to ?? [],
    cc: details.cc ?? [],
    replyTo: details.replyTo ?? [],
    envelope: { from: row.envelopeFrom, to: row.envelopeTo },
    inReplyTo: details.inReplyTo ?? null,
    references: details.references ?? [],
    attachments: (details.attachments ?? []).map((file, at) => ({ ...file, id: String(at) })),
    sender: details.sender ?? UNCHECKED,
  }
}
