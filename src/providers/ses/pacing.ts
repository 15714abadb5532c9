import type { Work } from "../../env.ts"
import { callSes } from "./client.ts"

const RATE_KNOWN_FOR_MS = 5 * 60_000

interface Account {
  SendQuota?: { MaxSendRate?: number }
}

let known = { account: "", until: 0, intervalMs: 0, nextTurn: 0 }

/** An invocation may not wait for what another one fetches: each asks for itself, once. */
const asking = new WeakMap<Work, Promise<void>>()

/**
 * Waits until the account's send rate allows one more message from this isolate; where several
 * send at once, SES's own throttling is the last word.
 */
export async function awaitTurn(work: Work): Promise<void> {
  const { AWS_REGION, AWS_ACCESS_KEY_ID } = work.settings
  const account = `${AWS_REGION} ${AWS_ACCESS_KEY_ID}`
  if (known.account !== account || known.until < Date.now()) {
    const asked = asking.get(work) ?? askRate(work, account)
    asking.set(work, asked)
    await asked
  }
  const now = Date.now()
  const turn = Math.max(now, known.nextTurn)
  known.nextTurn = turn + known.intervalMs
  if (turn > now) await scheduler.wait(turn - now)
}

/** Without an answer nothing is held back: the sends themselves will say what is wrong. */
async function askRate(work: Work, account: string): Promise<void> {
  const answer = await callSes<Account>(work.settings, "GET", "/v2/email/account")
  const rate = answer.ok ? (answer.body.SendQuota?.MaxSendRate ?? 0) : 0
  const intervalMs = rate > 0 ? 1000 / rate : 0
  const nextTurn = known.account === account ? known.nextTurn : 0
  known = { account, until: Date.now() + RATE_KNOWN_FOR_MS, intervalMs, nextTurn }
}
