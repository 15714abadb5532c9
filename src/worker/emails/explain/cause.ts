import type { EmailEventType, EventData } from "../contract.ts"
import { type Answers, PROVIDERS, RECEIVERS, WORDS } from "./answers.ts"
import {
  BOUNCE_SUBTYPES,
  BOUNCE_TYPES,
  CANCELLATIONS,
  type Codes,
  DELAY_TYPES,
  FEEDBACK_TYPES,
  LIST_BOUNCES,
  REPLY_CODES,
  STATUS_CODES,
} from "./codes.ts"
import type { Cause } from "./contract.ts"
import { type Code, REASONS, REPEATS } from "./reasons.ts"

export interface Explained {
  cause: Cause
  remedy: string
}

/** The cause of a timeline entry. Null if the entry is good news. */
export function explainEntry(type: EmailEventType, data: EventData): Explained | null {
  const { diagnosticCode = null, reason = null } = data
  switch (type) {
    case "bounced":
      return toExplained(codeOfBounce(data), diagnosticCode)
    case "failed":
      return explainFailure(reason)
    case "delayed": {
      const named = read(DELAY_TYPES, reason)
      const words = diagnosticCode ?? (named ? null : reason)
      return toExplained(codeOfAnswer(words) ?? named ?? "delayed", words)
    }
    case "complained":
      return toExplained(read(FEEDBACK_TYPES, data.complaintFeedbackType) ?? "complaint", null)
    case "cancelled":
      return toExplained(read(CANCELLATIONS, reason) ?? "cancelled_by_call", null)
    default:
      return null
  }
}

/** A refusal or a fault of the provider: its own code, else the words of a server. */
export const explainFailure = (words: string | null): Explained =>
  toExplained(firstFit(PROVIDERS, words) ?? codeOfAnswer(words) ?? "provider_problem", words)

/** An email that is still tried needs no remedy about sending it again. */
export const remedyOf = (explained: Explained | null, { isTried }: { isTried: boolean }) =>
  explained && !(isTried && REPEATS.includes(explained.remedy)) ? [explained.remedy] : []

const codeOfBounce = ({ bounceType, bounceSubType, diagnosticCode }: EventData): Code =>
  read(LIST_BOUNCES, bounceSubType) ??
  codeOfAnswer(diagnosticCode ?? null, read(BOUNCE_SUBTYPES, bounceSubType)) ??
  read(BOUNCE_TYPES, bounceType) ??
  "bounced"

/**
 * The most telling reading of a server's answer: a known answer of a known server, its enhanced
 * status code, what the provider made of it, its usual words, the subject of its code, its reply
 * code.
 */
function codeOfAnswer(words: string | null, reported?: Code): Code | undefined {
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
    REPLY_CODES[REPLY_CODE.exec(words ?? "")?.[0] ?? ""]
  )
}

/** The names come from providers: `constructor` is no code. */
const read = (codes: Codes, name: string | null = null) =>
  name !== null && Object.hasOwn(codes, name) ? codes[name] : undefined

function firstFit(answers: Answers, words: string | null): Code | undefined {
  if (words === null) return undefined
  const text = onOneLine(words)
  return answers.find(([pattern]) => pattern.test(text))?.[1]
}

/** Servers repeat their code in front of each line of an answer. */
const onOneLine = (words: string) =>
  words.replace(/\s+/g, " ").replace(/ \d{3}-(?:\d\.\d{1,3}\.\d{1,3} )?/g, " ")

/** RFC 3463 has the subjects 0 to 7. A status code is no part of a longer number. */
const ENHANCED_STATUS = /(?<![\d.])[245]\.[0-7]\.\d{1,3}(?!\d|\.\d)/
const REPLY_CODE = /(?<![\d.])[45]\d\d(?=[ -])/

export const enhancedStatusOf = (words: string | null): string | null =>
  ENHANCED_STATUS.exec(words ?? "")?.[0] ?? null

function toExplained(code: Code, diagnostic: string | null): Explained {
  const { meaning, remedy } = REASONS[code]
  return {
    cause: { code, enhancedStatus: enhancedStatusOf(diagnostic), diagnostic, meaning },
    remedy,
  }
}
