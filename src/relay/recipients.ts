import type { Mailbox } from "../lib/address.ts"

export interface Recipients {
  to: Mailbox[]
  cc: Mailbox[]
  bcc: Mailbox[]
}

/**
 * The messages that the envelope makes of one, as the API mails whoever it names. Only addresses
 * of the envelope are mailed: those that To and Cc name stand there, the others are bcc. Where
 * neither names one, nobody may see the others, so that each gets a message of its own.
 */
export function distribute(visible: Omit<Recipients, "bcc">, envelope: string[]): Recipients[] {
  const left = new Set(envelope)
  const take = (list: Mailbox[]) => list.filter(({ address }) => left.delete(address))
  const to = take(visible.to)
  const cc = take(visible.cc)
  const bcc = [...left].map((address) => ({ address }))
  if (to.length > 0) return [{ to, cc, bcc }]
  // The API wants one recipient in `to`.
  if (cc.length > 0) return [{ to: cc, cc: [], bcc }]
  return bcc.map((one) => ({ to: [one], cc: [], bcc: [] }))
}
