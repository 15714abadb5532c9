import type { Mailbox } from "../lib/address.ts"

export interface Recipients {
  to: Mailbox[]
  cc: Mailbox[]
  bcc: Mailbox[]
}

/**
 * The messages to send for one SMTP message. Only addresses of the envelope are mailed: addresses
 * that To or Cc name stay there, the others become bcc. If To and Cc name none of them, each gets a
 * message of its own, so that no recipient sees another one.
 */
export function distribute(visible: Omit<Recipients, "bcc">, envelope: string[]): Recipients[] {
  const left = new Set(envelope)
  const take = (list: Mailbox[]) => list.filter(({ address }) => left.delete(address))
  const to = take(visible.to)
  const cc = take(visible.cc)
  const bcc = [...left].map((address) => ({ address }))
  if (to.length > 0) return [{ to, cc, bcc }]
  // The API requires a recipient in `to`.
  if (cc.length > 0) return [{ to: cc, cc: [], bcc }]
  return bcc.map((one) => ({ to: [one], cc: [], bcc: [] }))
}
