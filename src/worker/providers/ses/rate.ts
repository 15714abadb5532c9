import { MINUTE_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { callSes } from "./client.ts"

const KNOWN_FOR_MS = 5 * MINUTE_MS
const ASK_AGAIN_AFTER_MS = 10_000

interface Account {
  SendQuota?: { MaxSendRate?: number }
}

let known = { account: "", until: 0, rate: null as number | null }

/** The send rate of the account; the last known one when SES does not answer. */
export async function sesSendRate({ settings }: Work): Promise<number | null> {
  const account = `${settings.AWS_REGION} ${settings.AWS_ACCESS_KEY_ID}`
  if (known.account !== account) known = { account, until: 0, rate: null }
  if (known.until > Date.now()) return known.rate
  const answer = await callSes<Account>(settings, "GET", "/v2/email/account")
  const { MaxSendRate = 0 } = (answer.ok && answer.body.SendQuota) || {}
  known = answer.ok
    ? { account, until: Date.now() + KNOWN_FOR_MS, rate: MaxSendRate > 0 ? MaxSendRate : null }
    : { ...known, account, until: Date.now() + ASK_AGAIN_AFTER_MS }
  return known.rate
}
