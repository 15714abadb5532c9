import { resealSecondFactors } from "./access/people/second-factors/reseal.ts"
import { forgetOldSessions } from "./access/people/sessions/session.ts"
import { forgetOldAttempts } from "./access/people/sign-in/attempts.ts"
import { purgeRefusedCalls } from "./access/refused-calls/purge.ts"
import { purgeDeleted } from "./campaigns/delete.ts"
import { sweepBatches } from "./campaigns/sending/batches.ts"
import { sweepCampaigns } from "./campaigns/sending/sweep.ts"
import { sweepDeletedBooks } from "./contacts/books.ts"
import { sweepDomains } from "./domains/check.ts"
import { sweepClaims } from "./domains/claims.ts"
import { moveContents } from "./emails/packs/move.ts"
import { deleteLostPacks } from "./emails/packs/purge.ts"
import { purgeExpired } from "./emails/retention/retention.ts"
import { failExpiredEmails, shortenLeases, sweepEmails } from "./emails/sending/sweep-emails.ts"
import { sweepImages } from "./images/sweep.ts"
import type { Work } from "./platform/context.ts"
import { DIRECTORY, databaseNumber, databaseNumbers } from "./platform/db/databases.ts"
import { CallsSpent, limitCalls } from "./platform/db/limit-calls.ts"
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

/** D1 answers a thousand calls of an invocation. */
const CALLS_AN_INVOCATION = 750
/** Beside the first one, in a minute of a database. */
const MORE_INVOCATIONS = 5

/** A hint of the queue `minutes`: the minute's work of a database, or more of it. */
export interface MinuteMessage {
  kind: "minutes"
  moves?: undefined
  /** The invocations that have spent their calls on this minute. */
  spent?: number
}

/** Once a minute: the work of the installation and of its first database. Other databases get a message. */
export const runCron = (work: Work): Promise<void> =>
  withinCalls(work, 0, (work) => [
    databaseNumber(work.env) === DIRECTORY && enqueueMinutes(work),
    sweepDeadLetters(work, noteDeadLetters),
    replayDeadLetters(work),
    purgeDeadLetters(work),
    moveAuditEntries(work),
    forgetOldAttempts(work),
    forgetOldSessions(work),
    import("./teams/members/invitations.ts").then((loaded) => loaded.forgetOldInvitations(work)),
    import("./access/people/claiming/claim.ts").then(({ forgetOldClaim }) => forgetOldClaim(work)),
    forgetSystemMail(work),
    import("./contacts/confirmation/sweep.ts").then((loaded) =>
      loaded.forgetConfirmationMails(work),
    ),
    resealSecondFactors(work),
    sweepMoves(work),
    ...minuteParts(work),
  ])

const enqueueMinutes = (work: Work) =>
  enqueueNow(
    work.env,
    databaseNumbers(work.env)
      .filter((number) => number !== DIRECTORY)
      .map((database) => ({ kind: "minutes", database }) as const),
  )

type Part = Promise<unknown> | PromiseLike<unknown> | undefined | false

/** The minute's work of one database. */
export const runMinute = (work: Work, { spent = 0 }: Partial<MinuteMessage> = {}): Promise<void> =>
  withinCalls(work, spent, minuteParts)

/** What is left when the calls are spent goes on in another invocation, and at last in the next minute. */
async function withinCalls(work: Work, spent: number, parts: (work: Work) => Part[]) {
  const limited = limitCalls(work, CALLS_AN_INVOCATION)
  try {
    await all(parts(limited.work))
  } finally {
    if (limited.isSpent() && spent < MORE_INVOCATIONS) {
      await enqueueNow<MinuteMessage>(work.env, [{ kind: "minutes", spent: spent + 1 }])
    }
  }
}

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
  import("./erasure/erase.ts").then(({ sweepErasures }) => sweepErasures(work)),
  import("./received/taking/work-off.ts").then(({ workOff }) => workOff(work)),
  sweepFences(work),
  import("./sequences/running/sweep.ts").then(({ sweepSequences }) => sweepSequences(work)),
  unlessTeamMoves(work),
]

/** It would find half of a team's rows, or fail at its fence. Nobody waits for it. */
async function unlessTeamMoves(work: Work): Promise<void> {
  if (await isTeamOnItsWay(work)) return
  await all([
    purgeDeleted(work),
    sweepClaims(work),
    import("./domains/next-provider.ts").then(({ sweepNextProvider }) => sweepNextProvider(work)),
    import("./domains/routing/check.ts").then(({ sweepRouting }) => sweepRouting(work)),
    ...createProviders(work).map((provider) => provider.sweep?.()),
    moveContents(work),
    deleteLostPacks(work),
    import("./emails/word-index/build.ts").then(({ indexWords }) => indexWords(work)),
    purgeExpired(work),
    import("./contacts/confirmation/sweep.ts").then((loaded) => loaded.sweepConfirmations(work)),
    sweepDeletedBooks(work),
    sweepDeletedTopics(work),
    sweepSegments(work),
    sweepImages(work),
    sweepRemovals(work),
    import("./removals/repeat.ts").then(({ repeatRemovals }) => repeatRemovals(work)),
    purgeAuditLog(work),
    purgeRefusedCalls(work),
    import("./teams/deletion/sweep.ts").then(({ sweepDeletedTeams }) => sweepDeletedTeams(work)),
    sweepFailingWebhooks(work),
    purgeEvents(work),
    import("./contact-events/purge.ts").then((loaded) => loaded.purgeContactEvents(work)),
    resealSecrets(work),
    import("./teams/notices/send.ts").then(({ sendNotices }) => sendNotices(work)),
    watchForOwners(work),
    import("./received/purge.ts").then(({ purgeReceived }) => purgeReceived(work)),
  ])
}

/** Every part runs, even if another part fails. */
async function all(parts: Part[]): Promise<void> {
  const failures = (await Promise.allSettled(parts))
    .flatMap((result) => (result.status === "rejected" ? [result.reason] : []))
    .filter((reason) => !wantsCalls(reason))
  if (failures.length > 0) throw new AggregateError(failures, "A part of the minute's work failed")
}

const wantsCalls = (reason: unknown): boolean =>
  reason instanceof Error && (reason instanceof CallsSpent || wantsCalls(reason.cause))
