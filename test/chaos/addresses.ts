import { SIMULATOR_HOST } from "../../src/worker/providers/sandbox/mailboxes.ts"

/** What each mailbox of the test inbox leads to, as the API's reference says. */
export const ENDS = {
  success: "delivered",
  ooto: "delivered",
  delay: "delivered",
  bounce: "bounced",
  softbounce: "bounced",
  complaint: "complained",
  notspam: "complained",
  reject: "failed",
  flaky: "delivered",
} as const

export type MailboxName = keyof typeof ENDS

export const mailboxAddress = (mailbox: MailboxName, label: string) =>
  `${mailbox}+${label}@${SIMULATOR_HOST}`

export const endOf = (address: string) => ENDS[address.split("+")[0] as MailboxName]
