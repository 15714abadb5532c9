import { purgeAuditLog } from "./audit/audit-log.ts"
import { purgeDeleted } from "./campaigns/delete.ts"
import { sweepDeletedBooks } from "./contacts/books.ts"
import { sweepDeletedTeams } from "./deletion/sweep.ts"
import { sweepDomains } from "./domains/check.ts"
import { sweepNextProvider } from "./domains/next-provider.ts"
import { purgeExpired } from "./emails/retention.ts"
import type { Work } from "./env.ts"
import { sweepErasures } from "./erasure/erase.ts"
import { forgetOldInvitations } from "./members/invitations.ts"
import { forgetSystemMail } from "./members/system-mail.ts"
import { tellOwners } from "./owners/tell.ts"
import { watchForOwners } from "./owners/watch.ts"
import { forgetOldAttempts } from "./people/attempts.ts"
import { forgetOldClaim } from "./people/claim.ts"
import { forgetOldSessions } from "./people/session.ts"
import { openProviders } from "./providers/open.ts"
import { purgeDeadLetters, replayDeadLetters, sweepDeadLetters } from "./queues/dead-letters.ts"
import { sweepBatches } from "./sending/campaign-batches.ts"
import { sweepCampaigns } from "./sending/sweep-campaigns.ts"
import { sweepEmails } from "./sending/sweep-emails.ts"
import { sweepOutbox } from "./stream/sweep.ts"
import { sweepFailingWebhooks } from "./webhooks/failing.ts"
import { purgeEvents } from "./webhooks/purge.ts"
import { resealSecrets } from "./webhooks/reseal.ts"
import { sweepDeliveries } from "./webhooks/sweep.ts"

/** Once a minute. Every part runs, even if another part fails. */
export async function runCron(work: Work): Promise<void> {
  const parts = [
    sweepEmails(work),
    sweepCampaigns(work),
    sweepBatches(work),
    purgeDeleted(work),
    sweepDomains(work),
    sweepNextProvider(work),
    ...openProviders(work).map((provider) => provider.sweep?.()),
    sweepDeadLetters(work),
    replayDeadLetters(work),
    purgeDeadLetters(work),
    sweepOutbox(work),
    purgeExpired(work),
    sweepDeletedBooks(work),
    sweepErasures(work),
    forgetOldAttempts(work),
    forgetOldSessions(work),
    forgetOldInvitations(work),
    forgetOldClaim(work),
    forgetSystemMail(work),
    purgeAuditLog(work),
    sweepDeletedTeams(work),
    sweepDeliveries(work),
    sweepFailingWebhooks(work),
    purgeEvents(work),
    resealSecrets(work),
    tellOwners(work),
    watchForOwners(work),
  ]
  const failures = (await Promise.allSettled(parts)).flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  )
  if (failures.length > 0) throw new AggregateError(failures, "A part of the minute's work failed")
}
