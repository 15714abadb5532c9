import { sql } from "drizzle-orm"
import { store } from "../../db/overflow.ts"
import type { Work } from "../../env.ts"
import { gzip } from "../../lib/gzip.ts"
import { firstIdAt } from "../../lib/id.ts"
import { DAY_MS } from "../../lib/time.ts"
import { enqueueOutcomes } from "../../queues/messages.ts"
import { type EmailReport, reportOf } from "../../queues/report.ts"
import { composeMime, messageIdOf } from "../mime.ts"
import { envelopeRecipients, type OutgoingMessage, type Provider } from "../provider.ts"
import { sandboxIdentities } from "./identities.ts"
import { simulatedMailbox } from "./mailboxes.ts"
import { packMessage } from "./message.ts"
import { sandboxMessages } from "./table.ts"

const REPORT_AGAIN_AFTER_MS = 20_000
/** Once the lease is over, another consumer may have the email. */
const STORED_WITHIN_MS = 20_000
const MESSAGES_A_SWEEP = 1_000

/** Keeps messages in the test inbox. Outcomes arrive through the queue, as with a real provider. */
export function sandbox(work: Work): Provider {
  const outcomes: EmailReport[] = []
  return {
    name: "sandbox",
    identities: sandboxIdentities,
    sendsAtOnce: 1,

    async send(message) {
      const recipients = envelopeRecipients(message)
      for (const address of recipients) {
        const fault = simulatedMailbox(address).fault?.(message.attempt)
        if (fault) return { ok: false, ...fault }
      }
      // Locally nobody else gets a turn before something waits for a timer.
      await scheduler.wait(1)
      const acceptedAt = await keep(work, message, recipients)
      outcomes.push(...outcomesOf(message, recipients, acceptedAt))
      return { ok: true, providerMessageId: messageIdOf(message), acceptedAt }
    },

    recorded: () => enqueueOutcomes(work.env, outcomes.splice(0)),

    async sweep() {
      const unreported = (await takeDue(work)).filter(({ outcomesDueAt }) => outcomesDueAt !== null)
      await enqueueOutcomes(
        work.env,
        unreported.flatMap(({ teamId, emailId, recipients, createdAt }) => {
          const ref = { teamId, emailId }
          // The consumer may have died before it recorded the answer.
          const sent = reportOf(ref, "sent", createdAt)
          return [sent, ...outcomesOf(ref, recipients, createdAt)]
        }),
      )
      await purge(work)
    },
  }
}

/** Answers when the message was accepted. An email that is sent twice stays one message. */
async function keep(work: Work, message: OutgoingMessage, recipients: string[]): Promise<number> {
  const { teamId, emailId } = message
  const acceptedAt = work.now()
  const raw = await composeMime(message, acceptedAt)
  const stored = await store(work.env, gzip(packMessage(message, raw)), `sandbox/${emailId}`)
  if (work.now() > acceptedAt + STORED_WITHIN_MS) throw new Error("The test inbox was too slow")
  const isOutcomeDue = outcomesOf(message, recipients, acceptedAt).length > 0
  const [kept] = await work.db
    .insert(sandboxMessages)
    .values({
      ...stored,
      teamId,
      emailId,
      sender: message.from.address,
      recipients,
      createdAt: acceptedAt,
      outcomesDueAt: isOutcomeDue ? acceptedAt + REPORT_AGAIN_AFTER_MS : null,
    })
    .onConflictDoUpdate({
      target: [sandboxMessages.teamId, sandboxMessages.emailId],
      set: { createdAt: sql`${sandboxMessages.createdAt}` },
    })
    .returning({ createdAt: sandboxMessages.createdAt })
  return kept?.createdAt ?? acceptedAt
}

/** The later of two outcomes at one mailbox is a millisecond after the earlier. */
const outcomesOf = (
  ref: Pick<OutgoingMessage, "teamId" | "emailId">,
  recipients: readonly string[],
  acceptedAt: number,
): EmailReport[] =>
  recipients.flatMap((address) =>
    (simulatedMailbox(address).outcomes ?? []).map(({ type, data }, index) =>
      reportOf(ref, type, acceptedAt + 1 + index, { ...data, recipients: [address] }, address),
    ),
  )

/** A queue may lose outcomes: they are reported again until the email has one. */
const takeDue = (work: Work) =>
  work.db
    .update(sandboxMessages)
    .set({
      outcomesDueAt: sql`iif(
        (select status from emails e
          where e.team_id = ${sandboxMessages.teamId} and e.id = ${sandboxMessages.emailId})
          in ('sending', 'sent'),
        ${work.now() + REPORT_AGAIN_AFTER_MS},
        null
      )`,
    })
    .where(
      sql`(team_id, email_id) in (
        select team_id, email_id from ${sandboxMessages}
        where ${sandboxMessages.outcomesDueAt} <= ${work.now()}
        order by ${sandboxMessages.outcomesDueAt} limit ${MESSAGES_A_SWEEP}
      )`,
    )
    .returning()

/**
 * The test inbox keeps a message as long as an email keeps its content, never beyond its record.
 */
async function purge(work: Work): Promise<void> {
  const { CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS } = work.settings
  const days = Math.min(CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS)
  const before = firstIdAt("email", work.now() - days * DAY_MS)
  const purged = await work.db
    .delete(sandboxMessages)
    .where(
      sql`(team_id, email_id) in (
        select m.team_id, m.email_id from teams t
        cross join sandbox_messages m on m.team_id = t.id and m.email_id < ${before}
        limit ${MESSAGES_A_SWEEP}
      )`,
    )
    .returning({ objectKey: sandboxMessages.objectKey })
  const keys = purged.flatMap(({ objectKey }) => objectKey ?? [])
  if (keys.length > 0) await work.env.CONTENT.delete(keys)
}
