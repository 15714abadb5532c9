import type { Mailbox } from "../../../lib/address.ts"
import { MINUTE_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { mailed, type OutgoingMessage, type Provider, type SendResult } from "../provider.ts"
import { callSes, NOT_CONFIGURED, type SesAnswer } from "./client.ts"
import { toSesAddress, toSesContent } from "./content.ts"
import { sesIdentities } from "./identities.ts"

/** The message tags that the events of SES repeat. */
export const EMAIL_TAG = "email_id"
export const TEAM_TAG = "team_id"
/** Absent for the directory. */
export const DATABASE_TAG = "database"

/** SES publishes an event within seconds of the acceptance. */
const SETTLE_MS = 5 * MINUTE_MS

export const ses = (work: Work): Provider => ({
  name: "ses",
  settleMs: SETTLE_MS,
  identities: sesIdentities(work.settings),
  sendRate: () => sesSendRate(work),
  countsRecipients: true,

  async send(message) {
    const request = await toRequest(work, message)
    const body = message.raw ? withRaw(request, message.raw) : request
    const path = "/v2/email/outbound-emails"
    // Earlier than the answer, which may come after the first event.
    const acceptedAt = work.now()
    const answer = await callSes<{ MessageId: string }>(work.settings, "POST", path, body)
    return toResult(answer, acceptedAt)
  },
})

async function toRequest(work: Work, message: OutgoingMessage) {
  const { DATABASE } = work.env
  const addresses = (list: Mailbox[]) => Promise.all(list.map(toSesAddress))
  return {
    FromEmailAddress: await toSesAddress(message.from),
    Destination: {
      ToAddresses: await addresses(mailed(message, "to")),
      CcAddresses: await addresses(mailed(message, "cc")),
      BccAddresses: await addresses(mailed(message, "bcc")),
    },
    // A whole message has its own header.
    ReplyToAddresses: message.raw ? [] : await addresses(message.replyTo),
    Content: message.raw ? NO_RAW : await toSesContent(message, work.now()),
    ConfigurationSetName: work.settings.SES_CONFIGURATION_SET,
    EmailTags: [
      { Name: EMAIL_TAG, Value: message.emailId },
      { Name: TEAM_TAG, Value: message.teamId },
      ...(DATABASE === undefined ? [] : [{ Name: DATABASE_TAG, Value: String(DATABASE) }]),
    ],
  }
}

const NO_RAW = { Raw: { Data: "" } }

const PIECE_BYTES = 3 * 256 * 1024

/** The request as JSON. A whole message may be large: its base64 is written into the bytes at once. */
function withRaw(request: object, raw: Buffer): Buffer<ArrayBuffer> {
  const empty = JSON.stringify(NO_RAW)
  const [before = "", after = ""] = JSON.stringify(request).split(empty)
  const [start, end] = [before + empty.slice(0, -3), empty.slice(-3) + after].map((text) =>
    Buffer.from(text),
  ) as [Buffer, Buffer]
  const length = 4 * Math.ceil(raw.length / 3)
  const body = Buffer.alloc(start.length + length + end.length)
  body.set(start)
  let at = start.length
  for (let from = 0; from < raw.length; from += PIECE_BYTES)
    at += body.write(raw.toString("base64", from, from + PIECE_BYTES), at, "latin1")
  body.set(end, at)
  return body
}

function toResult(answer: SesAnswer<{ MessageId: string }>, acceptedAt: number): SendResult {
  if (answer.ok) return { ok: true, providerMessageId: answer.body.MessageId, acceptedAt }
  const { status, code, reason } = answer
  if (status === 429 || status === 401 || status === 403 || OF_ACCOUNT.test(code))
    return { ok: false, retryable: true, fault: "provider", reason }
  // SES may have accepted the message before it failed.
  if (status === 0 || status >= 500) return { ok: false, retryable: true, unanswered: true, reason }
  return { ok: false, retryable: false, reason }
}

/** Throttling, quotas, a paused account, and settings that the operator can still correct. */
const OF_ACCOUNT = new RegExp(
  `^(${NOT_CONFIGURED}|LimitExceeded|Throttling|TooManyRequests|SendingPaused|AccountSuspended|ConfigurationSet|NotFound)`,
)

const KNOWN_FOR_MS = 5 * MINUTE_MS
const ASK_AGAIN_AFTER_MS = 10_000

interface Account {
  SendQuota?: { MaxSendRate?: number }
}

let known = { account: "", until: 0, rate: null as number | null }

/** The send rate of the account; the last known one when SES does not answer. */
async function sesSendRate({ settings }: Work): Promise<number | null> {
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
