import type { Email } from "../../client/index.ts"

type Recipients = Pick<Email, "to" | "cc" | "bcc">

/** The first recipient and the number of the others: an email may have 50. */
export function describeRecipients({ to, cc, bcc }: Recipients): string {
  const [first = "", ...others] = [...to, ...cc, ...bcc]
  return others.length > 0 ? `${first} and ${others.length} more` : first
}
