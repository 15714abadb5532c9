import { forgetOldAttempts } from "./access/people/attempts.ts"
import { resealSecondFactors } from "./access/people/reseal.ts"
import { forgetOldSessions } from "./access/people/session.ts"
import { purgeDeleted } from "./campaigns/delete.ts"
import { sweepBatches } from "./campaigns/sending/batches.ts"
import { sweepCampaigns } from "./campaigns/sending/sweep.ts"
import { sweepDeletedBooks } from "./contacts/books.ts"
import { sweepDomains } from "./domains/check.ts"
import { sweepClaims } from "./domains/claims.ts"
import { moveContents } from "./emails/packs/move.ts"
import { deleteLostPacks } from "./emails/packs/purge.ts"
import { purgeExpired } from "./emails/retention.ts"
import { failExpiredEmails, shortenLeases, sweepEmails } from "./emails/sending/sweep-emails.ts"
import { sweepErasures } from "./erasure/erase.ts"
import { sweepImages } from "./images/sweep.ts"
import type { Work } from "./platform/context.ts"
import { DIRECTORY, databaseEnv, databaseNumber, databaseNumbers } from "./platform/db/databases.ts"
import {
  purgeDeadLetters,
  replayDeadLetters,
  sweepDeadLetters,
} from "./platform/queues/dead-letters.ts"
import { enqueueNow } from "./platform/queues/messages.ts"
import { createProviders } from "./providers/create-provider.ts"
import { sweepRemovals } from "./removals/keep.ts"
import { sweepSegments } from "./segments/count.ts"
import { sweepOutbox } from "./stream/sweep.ts"
import { purgeAuditLog } from "./teams/audit/audit-log.ts"
import { moveAuditEntries } from "./teams/audit/move-entries.ts"
import { sweepFences, sweepMoves } from "./teams/moving/enqueue.ts"
import { isTeamOnItsWay } from "./teams/moving/fenced.ts"
import { noteDeadLetters } from "./teams/notices/keep.ts"
import { forgetSystemMail } from "./teams/notices/system-mail.ts"
import { watchForOwners, watchProviders } from "./teams/notices/watch.ts"
import { sweepDeletedTopics } from "./topics/delete.ts"
import { sweepFailingWebhooks } from "./webhooks/deliveries/failing.ts"
import { sweepDeliveries } from "./webhooks/deliveries/sweep.ts"
import { purgeEvents } from "./webhooks/events/purge.ts"
import { resealSecrets } from "./webhooks/reseal.ts"

/** Once a minute: the work of the installation and of its first database. Other databases get a message. */
export async function runCron(work: Work): Promise<void> {
  const others = databaseNumbers(work.env).filter((number) => number !== DIRECTORY)
  const isDirectory = databaseNumber(work.env) === DIRECTORY
  await all([
    ...(isDirectory ? others.map((number) => enqueueMinute(work, number)) : []),
    sweepDeadLetters(work, noteDeadLetters),
    replayDeadLetters(work),
    purgeDeadLetters(work),
    moveAuditEntries(work),
    forgetOldAttempts(work),
    forgetOldSessions(work),
    import("./teams/members/invitations.ts").then((loaded) => loaded.forgetOldInvitations(work)),
    import("./access/people/claim.ts").then(({ forgetOldClaim }) => forgetOldClaim(work)),
    forgetSystemMail(work),
    resealSecondFactors(work),
    sweepMoves(work),
    ...minuteParts(work),
  ])
}

const enqueueMinute = (work: Work, number: number) =>
  enqueueNow(databaseEnv(work.env, number), [{ kind: "minutes" }])

type Part = Promise<unknown> | PromiseLike<unknown> | undefined

/** The minute's work of one database. */
export const runMinute = (work: Work): Promise<void> => all(minuteParts(work))

const minuteParts = (work: Work): Part[] => [
  sweepEmails(work),
  failExpiredEmails(work),
  shortenLeases(work),
  watchProviders(work),
  sweepCampaigns(work),
  sweepBatches(work),
  sweepDomains(work),
  sweepOutbox(work),
  sweepDeliveries(work),
  sweepErasures(work),
  sweepFences(work),
  unlessTeamMoves(work),
]

/** It would find half of a team's rows, or fail at its fence. Nobody waits for it. */
async function unlessTeamMoves(work: Work): Promise<void> {
  if (await isTeamOnItsWay(work)) return
  await all([
    purgeDeleted(work),
    sweepClaims(work),
    import("./domains/next-provider.ts").then(({ sweepNextProvider }) => sweepNextProvider(work)),
    ...createProviders(work).map((provider) => provider.sweep?.()),
    moveContents(work),
    deleteLostPacks(work),
    import("./emails/word-index/build.ts").then(({ indexWords }) => indexWords(work)),
    purgeExpired(work),
    sweepDeletedBooks(work),
    sweepDeletedTopics(work),
    sweepSegments(work),
    sweepImages(work),
    sweepRemovals(work),
    import("./removals/repeat.ts").then(({ repeatRemovals }) => repeatRemovals(work)),
    purgeAuditLog(work),
    import("./teams/deletion/sweep.ts").then(({ sweepDeletedTeams }) => sweepDeletedTeams(work)),
    sweepFailingWebhooks(work),
    purgeEvents(work),
    resealSecrets(work),
    import("./teams/notices/send.ts").then(({ sendNotices }) => sendNotices(work)),
    watchForOwners(work),
  ])
}

/** Every part runs, even if another part fails. */
async function all(parts: Part[]): Promise<void> {
  const failures = (await Promise.allSettled(parts)).flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  )
  if (failures.length > 0) throw new AggregateError(failures, "A part of the minute's work failed")
}
