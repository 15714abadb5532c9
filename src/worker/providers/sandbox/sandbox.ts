import { sql } from "drizzle-orm"
import { firstIdAt, timeOf } from "../../../lib/id.ts"
import { jsonChunks } from "../../../lib/json.ts"
import { DAY_MS } from "../../../lib/time.ts"
import { enqueueOutcomes } from "../../emails/outcomes/queue.ts"
import { type EmailReport, reportOf } from "../../emails/outcomes/report.ts"
import { emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { assignments, insertInto, resultColumns } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { objectKeyOf, store } from "../../platform/db/overflow.ts"
import { type Placeholders, prepared } from "../../platform/db/prepared.ts"
import { type LocalInbox, selectInboxesOf } from "../../received/inboxes/local-inboxes.ts"
import { deleteWithObjects, purgeInTurns } from "../../teams/purge.ts"
import { teams } from "../../teams/table.ts"
import { messageIdOf } from "../mime.ts"
import { envelopeRecipients, type OutgoingMessage, type Provider } from "../provider.ts"
import { gather } from "./gather.ts"
import { sandboxIdentities } from "./identities.ts"
import { simulatedMailbox } from "./mailboxes.ts"
import { packMessage } from "./message.ts"
import { searchWords } from "./search-words.ts"
import { sandboxMessages } from "./table.ts"

const MESSAGES_A_SWEEP = 1_000
const REPORT_AGAIN_AFTER_MS = 20_000
/** Once the lease is over, another consumer may have the email. */
const STORED_WITHIN_MS = 20_000
/** They are stored by one statement. */
const SENDS_AT_ONCE = 25

/** Keeps messages in the test inbox. Outcomes arrive through the queue, as with a real provider. */
export function sandbox(work: Work): Provider {
  const outcomes: EmailReport[] = []
  const keep = gather((rows: Row[]) => keepRows(work, rows))
  return {
    name: "sandbox",
    identities: sandboxIdentities,
    sendsAtOnce: SENDS_AT_ONCE,
    takesUtf8Headers: true,

    async send(message) {
      const recipients = envelopeRecipients(message)
      for (const address of recipients) {
        const fault = simulatedMailbox(address).fault?.(message.attempt)
        if (fault) return { ok: false, ...fault }
      }
      const row = await toRow(work, message, recipients)
      const { acceptedAt, inboxes } = await keep(row)
      if (inboxes.length > 0) {
        const { deliverHere } = await import("./deliver-here.ts")
        await deliverHere(work, message, inboxes)
      }
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

type Row = Awaited<ReturnType<typeof toRow>>

async function toRow(work: Work, message: OutgoingMessage, recipients: string[]) {
  const { teamId, emailId } = message
  const createdAt = work.now()
  const stored = await store(work.env, packMessage(message), () =>
    objectKeyOf("sandbox", teamId, emailId),
  )
  if (work.now() > createdAt + STORED_WITHIN_MS) throw new Error("The test inbox was too slow")
  const isOutcomeDue = recipients.some((one) => simulatedMailbox(one).outcomes !== null)
  return {
    ...stored,
    teamId,
    emailId,
    sender: message.from.address,
    recipients,
    createdAt,
    outcomesDueAt: isOutcomeDue ? createdAt + REPORT_AGAIN_AFTER_MS : null,
    words: await searchWords(message),
  }
}

const r = jsonFields<Row>("r")

const { teamId, emailId, createdAt } = sandboxMessages
const insertRows = prepared((db, { rows }: Placeholders<"rows">) =>
  db.all<{ teamId: string; emailId: string; createdAt: number }>(sql`
    ${insertInto(
      sandboxMessages,
      {
        teamId: r.teamId,
        emailId: r.emailId,
        sender: r.sender,
        recipients: jsonFields<Row>("r", "->").recipients,
        body: r.body,
        objectKey: r.objectKey,
        createdAt: r.createdAt,
        outcomesDueAt: r.outcomesDueAt,
        words: r.words,
      },
      sql`from ${jsonRows(rows, "r", { parsedOnce: true })} where true`,
    )}
    on conflict do update set ${assignments(sandboxMessages, { createdAt: sandboxMessages.createdAt })}
    returning ${resultColumns({ teamId, emailId, createdAt })}`),
)

interface Kept {
  acceptedAt: number
  /** Recipients that are inboxes of this installation. */
  inboxes: LocalInbox[]
}

/** An email that is sent twice stays one message, of the first time. */
async function keepRows(work: Work, rows: readonly Row[]): Promise<Kept[]> {
  const inserts = jsonChunks(rows).map((chunk) => insertRows(work, { rows: chunk }))
  const addresses = [...new Set(rows.flatMap(({ recipients }) => recipients))]
  const { inserted, local } = await namedBatch(work.db, {
    inserted: inserts,
    local: selectInboxesOf(work, addresses),
  })
  const kept = inserted.flat()
  const keptAt = new Map(kept.map((one) => [`${one.teamId} ${one.emailId}`, one.createdAt]))
  return rows.map((row) => ({
    acceptedAt: keptAt.get(`${row.teamId} ${row.emailId}`) ?? row.createdAt,
    inboxes: row.recipients.flatMap(
      (address) => local.find((inbox) => inbox.address === address) ?? [],
    ),
  }))
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
        (select ${emails.status} from emails
          where ${emails.teamId} = ${sandboxMessages.teamId} and ${emails.id} = ${sandboxMessages.emailId})
          in ('sending', 'sent'),
        ${work.now() + REPORT_AGAIN_AFTER_MS},
        null
      )`,
    })
    .where(
      sql`(${sandboxMessages.teamId}, ${sandboxMessages.emailId}) in (
        select ${sandboxMessages.teamId}, ${sandboxMessages.emailId} from ${sandboxMessages}
        where ${sandboxMessages.outcomesDueAt} <= ${work.now()}
        order by ${sandboxMessages.outcomesDueAt} limit +${MESSAGES_A_SWEEP}
      )`,
    )
    .returning()

/** The test inbox keeps a message as long as an email keeps its content, never beyond its record. */
function purge(work: Work): Promise<void> {
  const { CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS } = work.settings
  const days = Math.min(CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS)
  const before = firstIdAt("email", work.now() - days * DAY_MS)
  const expired = sql`select ${sandboxMessages.emailId} as value from sandbox_messages
    left join emails on ${emails.teamId} = ${sandboxMessages.teamId}
      and ${emails.id} = ${sandboxMessages.emailId}
    where ${sandboxMessages.teamId} = ${teams.id} and ${sandboxMessages.emailId} < ${before}
      and iif(${emails.scheduledAt} is null, 0, ${sandboxMessages.createdAt}) < ${timeOf(before)}`
  return purgeInTurns(work, expired, (select) => deleteWithObjects(work, sandboxMessages, select))
}
