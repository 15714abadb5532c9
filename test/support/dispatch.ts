import type { EmailRef } from "../../src/worker/emails/messages.ts"
import { theseEmails } from "../../src/worker/emails/sending/choose.ts"
import { claimEmails } from "../../src/worker/emails/sending/claim.ts"
import { sendClaimed } from "../../src/worker/emails/sending/send-claimed.ts"
import type { Work } from "../../src/worker/platform/context.ts"
import type { Query } from "../../src/worker/platform/db/client.ts"
import { createProvider } from "../../src/worker/providers/create-provider.ts"
import type { Provider } from "../../src/worker/providers/provider.ts"

const MIN_WAIT_MS = 20

interface Sending {
  bulk?: boolean
  provider?: Provider
  until?: number
  /** Statements for the batch that records the last of the emails. */
  afterLast?: readonly Query[]
}

/** Claims these emails, sends each, and records the answers. Answers the emails that are left over. */
export async function dispatchEmails(
  work: Work,
  refs: readonly EmailRef[],
  {
    bulk = false,
    provider = createProvider(work, { bulk }),
    until = Number.POSITIVE_INFINITY,
    afterLast = [],
  }: Sending = {},
): Promise<readonly EmailRef[]> {
  const kind = bulk ? "bulk" : "backlog"
  let left = refs
  while (left.length > 0 && work.now() < until) {
    const size = left.length
    const claim = await claimEmails(work, provider, theseEmails(left), { kind, size })
    if (claim.room === 0 && !bulk) break
    const had = new Set(claim.chosen)
    left = had.size < claim.room ? [] : left.filter(({ emailId }) => !had.has(emailId))
    if (claim.room > 0) await sendClaimed(work, provider, claim, left.length === 0 ? afterLast : [])
    else await scheduler.wait(Math.max(MIN_WAIT_MS, claim.waitMs))
  }
  if (provider.close) work.defer(provider.close())
  return left
}
