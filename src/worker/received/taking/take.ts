import { eq, type SQL, sql } from "drizzle-orm"
import { sha256Hex } from "../../../lib/crypto.ts"
import { firstIdAt, newId } from "../../../lib/id.ts"
import { DAY_MS, MINUTE_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { ownBucket } from "../../platform/db/buckets.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { afterCommit, commit } from "../../platform/db/commit.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { objectKeyOf } from "../../platform/db/overflow.ts"
import { ApiError, notFound, retryLater } from "../../platform/http/errors.ts"
import { MAX_A_MINUTE_OF_INBOX, MAX_A_MINUTE_OF_TEAM, MAX_MESSAGE_BYTES } from "../contract.ts"
import type { Recipient } from "../inboxes/find-inbox.ts"
import { isLiveInbox } from "../inboxes/local-inboxes.ts"
import { receivedDigests, receivedEmails } from "../table.ts"
import { createMessageDigest } from "./digest.ts"
import { enqueueReceived } from "./queue.ts"

/** How long a repeat is known. */
export const REPEATS_KNOWN_DAYS = 30

export interface Envelope {
  from: string
  to: string
}

interface Incoming extends Recipient {
  envelope: Envelope
  message: ReadableStream<Uint8Array>
  /** The bytes of the message. */
  size: number
}

/** Streams a message into R2, then stores its row with the work that is left. A repeat is not stored again. */
export async function takeMessage(
  work: Work,
  { teamId, inboxId, envelope, message, size }: Incoming,
): Promise<{ id: string; isRepeat: boolean }> {
  const recipient = { teamId, inboxId }
  refuseTooMany(await selectRoom(work, hasRoom(work, recipient)))
  const now = work.now()
  const id = newId("received", now)
  const objectKey = objectKeyOf("received", teamId, id)
  const digest = sha256Hex(`${envelope.to} ${await storeMessage(work, objectKey, message, size)}`)
  const day = Math.floor(now / DAY_MS)
  const days = Array.from({ length: REPEATS_KNOWN_DAYS + 1 }, (_, back) => String(day - back))
  const known = sql`select ${receivedDigests.receivedId} from ${receivedDigests}
    where ${eq(receivedDigests.teamId, teamId)} and ${isOneOf(receivedDigests.day, days)}
      and ${eq(receivedDigests.digest, digest)}`
  const room = hasRoom(work, recipient)
  const { found, isRoom } = await commit(work, {
    digest: work.db.run(
      insertInto(
        receivedDigests,
        { teamId, day, digest, receivedId: id },
        sql`where not exists (${known}) and ${isLiveInbox(teamId, sql`${inboxId}`)}
          and ${room}`,
      ),
    ),
    stored: afterCommit(
      work.db.run(
        insertInto(
          receivedEmails,
          {
            teamId,
            id,
            inboxId,
            kind: "message",
            sender: JSON.stringify({ email: envelope.from, name: null }),
            envelopeFrom: envelope.from,
            envelopeTo: envelope.to,
            size,
            createdAt: now,
            objectKey,
          },
          sql`where changes() > 0`,
        ),
      ),
      (work, { meta }) => (meta.changes > 0 ? enqueueReceived(work) : undefined),
    ),
    found: work.db.all<{ received_id: string }>(known),
    isRoom: selectRoom(work, sql`exists (${known}) or ${room}`),
  })
  const stored = found[0]?.received_id
  if (stored !== id) await ownBucket(work.env).delete(objectKey)
  if (stored !== undefined) return { id: stored, isRepeat: stored !== id }
  refuseTooMany(isRoom)
  throw notFound("Inbox")
}

const countSince = ({ now }: Work, { teamId }: Recipient, condition = sql`true`) => sql`(
  select count(*) from received_emails where ${receivedEmails.teamId} = ${teamId}
    and ${receivedEmails.id} >= ${firstIdAt("received", now() - MINUTE_MS)} and ${condition})`

const hasRoom = (work: Work, recipient: Recipient) => sql`(
  ${countSince(work, recipient)} < ${MAX_A_MINUTE_OF_TEAM}
  and ${countSince(work, recipient, eq(receivedEmails.inboxId, recipient.inboxId))} < ${MAX_A_MINUTE_OF_INBOX})`

const selectRoom = ({ db }: Work, room: SQL) => db.all<{ room: 0 | 1 }>(sql`select ${room} as room`)

function refuseTooMany([found]: { room: 0 | 1 }[]): void {
  if (found?.room) return
  throw retryLater("rate_limited", "The inbox or the team takes no more mail now.", 60)
}

/** Answers the digest. Reads a message that is too large to its end, so that its sender hears of it. */
async function storeMessage(
  { env }: Work,
  objectKey: string,
  message: ReadableStream<Uint8Array>,
  size: number,
): Promise<string> {
  const { readable, writable } = new FixedLengthStream(Math.min(size, MAX_MESSAGE_BYTES))
  const put = ownBucket(env).put(objectKey, readable)
  const [digest] = await Promise.all([copyTo(writable, message), put])
  return digest
}

async function copyTo(
  writable: WritableStream<Uint8Array>,
  message: ReadableStream<Uint8Array>,
): Promise<string> {
  const digest = createMessageDigest()
  const writer = writable.getWriter()
  try {
    for await (const chunk of message) {
      await digest.write(chunk)
      await writer.write(chunk)
    }
    await writer.close()
  } catch (error) {
    await writer.abort(error).catch(() => {})
    throw error
  }
  return digest.end()
}

export const tooLarge = () =>
  new ApiError("payload_too_large", `A message may have at most ${MAX_MESSAGE_BYTES} bytes.`)
