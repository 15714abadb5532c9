import type { Work } from "../../env.ts"
import { callSes } from "./client.ts"

const RATE_KNOWN_FOR_MS = 5 * 60_000

interface Account {
  SendQuota?: { MaxSendRate?: number }
}

let known = { account: "", until: 0, rate: null as number | null }

/** What SES says of the account; without an answer the sends themselves will say what is wrong. */
export async function sesSendRate({ settings }: Work): Promise<number | null> {
  const account = `${settings.AWS_REGION} ${settings.AWS_ACCESS_KEY_ID}`
  if (known.account !== account || known.until < Date.now()) {
    const answer = await callSes<Account>(settings, "GET", "/v2/email/account")
    const rate = answer.ok ? (answer.body.SendQuota?.MaxSendRate ?? 0) : 0
    known = { account, until: Date.now() + RATE_KNOWN_FOR_MS, rate: rate > 0 ? rate : null }
  }
  return known.rate
}
