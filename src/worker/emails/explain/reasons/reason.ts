/** The meaning of an answer or a report, and what the sender of the email can do. */
export interface Reason {
  code: string
  meaning: string
  remedy: string
  /** Who defines the answer. */
  source: string
}

/** An answer that a pattern finds. Patterns are linear: answers are others' words. */
export interface Answer extends Reason {
  pattern: RegExp
}

type Row = [pattern: RegExp, code: string, meaning: string, remedy: string]

export const answers = (source: string, rows: readonly Row[]): Answer[] =>
  rows.map(([pattern, code, meaning, remedy]) => ({ pattern, code, meaning, remedy, source }))

type NamedRow = [name: string, code: string, meaning: string, remedy: string]

export const named = (source: string, rows: readonly NamedRow[]): Map<string, Reason> =>
  new Map(rows.map(([name, code, meaning, remedy]) => [name, { code, meaning, remedy, source }]))

export const FIX_ADDRESS = "Correct the address or remove it from your lists."
export const TRY_LATER =
  "Try again later. If it keeps failing, contact the recipient's administrator."
export const ASK_RECEIVER = "Ask the recipient's administrator to allow your email."
export const AUTHENTICATE = "Check your domain's SPF, DKIM and DMARC records, then verify it again."
export const SEND_LESS =
  "Send more slowly and only to people who asked for it. Remove addresses that bounce or never open."
export const ASK_OPERATOR = "Ask the operator of this installation to check the provider settings."
export const NOTHING_TO_DO = "No action needed. Edgepost retries automatically."
export const SEND_NEW = "Send a new email if it is still needed."
