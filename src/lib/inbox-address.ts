/**
 * The address of an inbox that a message was written to, of those that the message names. Null where an inbox is a
 * catch-all and none of them is on its domain, since a forwarded message comes to an address of ours.
 */
export function ownAddress(inbox: string, named: readonly string[]): string | null {
  if (!inbox.startsWith("*@")) return inbox
  return named.find((address) => address.endsWith(inbox.slice(1))) ?? null
}
