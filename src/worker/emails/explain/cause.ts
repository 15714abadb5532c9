import type { EmailEventType, EventData } from "../contract.ts"
import type { Cause } from "./contract.ts"
import {
  BOUNCE_SUBTYPES,
  BOUNCE_TYPES,
  CANCELLATIONS,
  DELAY_TYPES,
  FEEDBACK_TYPES,
  LISTED_SUBTYPES,
  PROVIDERS,
} from "./reasons/providers.ts"
import { type Answer, type Reason, SEND_NEW, TRY_LATER } from "./reasons/reason.ts"
import { RECEIVERS, WORDS } from "./reasons/receivers.ts"
import { REPLY_CODES, STATUS_CODES } from "./reasons/status-codes.ts"

export interface Explained {
  cause: Cause
  remedy: string
}

/** The cause of a timeline entry. Null if the entry is good news. */
export function explainEntry(type: EmailEventType, data: EventData): Explained | null {
  switch (type) {
    case "bounced":
      return explainBounce(data)
    case "failed":
      return explainFailure(data.reason ?? null)
    case "delayed":
      return explainDelay(data)
    case "complained":
      return explainComplaint(data.complaintFeedbackType)
    case "cancelled":
      return explainCancellation(data.reason)
    default:
      return null
  }
}

function explainBounce({ bounceType, bounceSubType, diagnosticCode }: EventData): Explained {
  const words = diagnosticCode ?? null
  const reason =
    LISTED_SUBTYPES.get(bounceSubType ?? "") ??
    readAnswer(words, BOUNCE_SUBTYPES.get(bounceSubType ?? "")) ??
    BOUNCE_TYPES.get(bounceType ?? "Undetermined")
  return toExplained(reason, words)
}

/** A refusal or a fault of the provider: its own code, else the words of a server. */
export function explainFailure(words: string | null): Explained {
  return toExplained(firstFit(PROVIDERS, words) ?? readAnswer(words) ?? UNKNOWN_FAULT, words)
}

function explainDelay({ reason, diagnosticCode }: EventData): Explained {
  const named = DELAY_TYPES.get(reason ?? "")
  const words = diagnosticCode ?? (named ? null : (reason ?? null))
  return toExplained(readAnswer(words) ?? named ?? DELAY_TYPES.get("Undetermined"), words)
}

const explainComplaint = (type = "other"): Explained =>
  toExplained(FEEDBACK_TYPES.get(type) ?? FEEDBACK_TYPES.get("other"), null)

export const explainCancellation = (reason = ""): Explained =>
  toExplained(CANCELLATIONS.get(reason) ?? CANCELLED_BY_CALL, null)

const CANCELLED_BY_CALL: Reason = {
  code: "cancelled_by_call",
  meaning: "It was cancelled by your team or your app before it was sent.",
  remedy: SEND_NEW,
  source: "Edgepost",
}

const UNKNOWN_FAULT: Reason = {
  code: "provider_problem",
  meaning: "The provider could not accept the message.",
  remedy: TRY_LATER,
  source: "Edgepost",
}

/**
 * The most telling reading of a server's answer: a known answer of a known server, its enhanced
 * status code, what the provider made of it, its usual words, the subject of its code, its reply
 * code.
 */
function readAnswer(words: string | null, reported?: Reason): Reason | undefined {
  const [, subject, detail] = enhancedStatusOf(words)?.split(".") ?? []
  const exact = STATUS_CODES[`${subject}.${detail}`]
  const isVague = detail === "0" || `${subject}.${detail}` === "7.1"
  return (
    firstFit(RECEIVERS, words) ??
    (isVague ? undefined : exact) ??
    reported ??
    firstFit(WORDS, words) ??
    exact ??
    STATUS_CODES[`${subject}.0`] ??
    REPLY_CODES[replyCodeOf(words) ?? ""]
  )
}

const firstFit = (list: readonly Answer[], words: string | null): Reason | undefined => {
  if (words === null) return undefined
  const text = onOneLine(words)
  return list.find(({ pattern }) => pattern.test(text))
}

/** Servers repeat their code in front of each line of an answer. */
const onOneLine = (words: string) =>
  words.replace(/\s+/g, " ").replace(/ \d{3}-(?:\d\.\d{1,3}\.\d{1,3} )?/g, " ")

/** RFC 3463 has the subjects 0 to 7. A status code is no part of a longer number. */
const ENHANCED_STATUS = /(?<![\d.])[245]\.[0-7]\.\d{1,3}(?!\d|\.\d)/
const REPLY_CODE = /(?<![\d.])[45]\d\d(?=[ -])/

export const enhancedStatusOf = (words: string | null): string | null =>
  ENHANCED_STATUS.exec(words ?? "")?.[0] ?? null

const replyCodeOf = (words: string | null) => REPLY_CODE.exec(words ?? "")?.[0]

function toExplained(reason: Reason | undefined, diagnostic: string | null): Explained {
  const { code, meaning, remedy: mend } = reason ?? UNKNOWN_FAULT
  return {
    cause: { code, enhancedStatus: enhancedStatusOf(diagnostic), diagnostic, meaning },
    remedy: mend,
  }
}
