import { forgetOldAttempts } from "./access/people/attempts.ts"
import { forgetOldClaim } from "./access/people/claim.ts"
import { forgetOldSessions } from "./access/people/session.ts"
import { purgeDeleted } from "./campaigns/delete.ts"
import { sweepBatches } from "./campaigns/sending/batches.ts"
import { sweepCampaigns } from "./campaigns/sending/sweep.ts"
import { sweepDeletedBooks } from "./contacts/books.ts"
import { sweepDomains } from "./domains/check.ts"
import { sweepNextProvider } from "./domains/next-provider.ts"
import { moveContents } from "./emails/packs/move.ts"
import { deleteLostPacks } from "./emails/packs/purge.ts"
import { purgeExpired } from "./emails/retention.ts"
import { failExpiredEmails, shortenLeases, sweepEmails } from "./emails/sending/sweep-emails.ts"
import { sweepErasures } from "./erasure/erase.ts"
import { sweepImages } from "./images/sweep.ts"
import type { Work } from "./platform/context.ts"
import {
  purgeDeadLetters,
  replayDeadLetters,
  sweepDeadLetters,
} from "./platform/queues/dead-letters.ts"
import { createProviders } from "./providers/create-provider.ts"
import { sweepRemovals } from "./removals/keep.ts"
import { repeatRemovals } from "./removals/repeat.ts"
import { sweepSegments } from "./segments/count.ts"
import { sweepOutbox } from "./stream/sweep.ts"
import { purgeAuditLog } from "./teams/audit/audit-log.ts"
import { sweepDeletedTeams } from "./teams/deletion/sweep.ts"
import { forgetOldInvitations } from "./teams/members/invitations.ts"
import { noteDeadLetters } from "./teams/notices/keep.ts"
import { sendNotices } from "./teams/notices/send.ts"
import { forgetSystemMail } from "./teams/notices/system-mail.ts"
import { watchForOwners, watchProviders } from "./teams/notices/watch.ts"
import { sweepDeletedTopics } from "./topics/delete.ts"
import { sweepFailingWebhooks } from "./webhooks/deliveries/failing.ts"
import { sweepDeliveries } from "./webhooks/deliveries/sweep.ts"
import { purgeEvents } from "./webhooks/events/purge.ts"
import { resealSecrets } from "./webhooks/reseal.ts"

/** Once a minute. Every part runs, even if another part fails. */
export async function runCron(work: Work): Promise<void> {
  const parts = [
    sweepEmails(work),
    failExpiredEmails(work),
    shortenLeases(work),
    watchProviders(work),
    sweepCampaigns(work),
    sweepBatches(work),
    purgeDeleted(work),
    sweepDomains(work),
    sweepNextProvider(work),
    ...createProviders(work).map((provider) => provider.sweep?.()),
    sweepDeadLetters(work, noteDeadLetters),
    replayDeadLetters(work),
    purgeDeadLetters(work),
    sweepOutbox(work),
    moveContents(work),
    deleteLostPacks(work),
    purgeExpired(work),
    sweepDeletedBooks(work),
    sweepDeletedTopics(work),
    sweepSegments(work),
    sweepImages(work),
    sweepErasures(work),
    sweepRemovals(work),
    repeatRemovals(work),
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
    sendNotices(work),
    watchForOwners(work),
  ]
  const failures = (await Promise.allSettled(parts)).flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  )
  if (failures.length > 0) throw new AggregateError(failures, "A part of the minute's work failed")
}
