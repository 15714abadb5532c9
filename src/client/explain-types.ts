/** Whether an email would be sent, and what could be better about it. */
export interface EmailCheck {
  wouldSend: boolean
  /** What a send would be refused with; null where it would not. */
  refusal: { code: string; message: string; details?: unknown } | null
  sender: { domain: string | null; status: string | null; dmarc: string | null }
  recipients: {
    address: string
    suppressed: { reason: string; since: string; sourceEmailId: string | null } | null
  }[]
  message: { subject: string | null; bytes: number; hasText: boolean; attachments: number }
  /** `mend` says what to do about it. */
  warnings: { code: string; message: string; mend: string }[]
}

/** What happened to an email, in plain words. */
export interface EmailExplanation {
  summary: string
  /** Why it failed, by the enhanced status codes of RFC 3463 and the provider's own. */
  cause: {
    code: string
    enhancedStatus: string | null
    diagnostic: string | null
    meaning: string
  } | null
  /** What to do, in order. */
  next: string[]
  attempts: { at: string; outcome: string; answer: string | null }[]
  /** What has to happen before the email moves on. */
  waitingFor: { what: string; until: string | null } | null
}
