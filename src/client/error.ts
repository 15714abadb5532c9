import type { ErrorBody } from "./types.ts"

/** The codes of the API's errors, and those that the client adds. */
export type EdgepostErrorCode =
  | ErrorBody["error"]["code"]
  /** No reply arrived: the connection broke, or the call took longer than its timeout. */
  | "network_error"
  /** The reply is neither the API's JSON nor a failure of the server: a proxy's page, for example. */
  | "unexpected_reply"
  /** The client has no API key or no base URL, or was called with what it cannot send. */
  | "configuration"

interface Failure {
  code: EdgepostErrorCode
  message: string
  status?: number | null
  details?: unknown
  requestId?: string | null
  cause?: unknown
}

/** What every failed call rejects with, unless the caller's own signal aborted the call. */
export class EdgepostError extends Error {
  override readonly name = "EdgepostError"
  readonly code: EdgepostErrorCode
  /** The HTTP status; null where no reply arrived. */
  readonly status: number | null
  /** What the API adds to the message: the issues of a refused input, for example. */
  readonly details: unknown
  /** The `x-request-id` of the reply: name it when you ask for help. */
  readonly requestId: string | null
  /** Whether the same call may succeed later: a broken connection, 429, and 5xx but for 501 and 505. */
  readonly retryable: boolean
  /** How often the call was tried. */
  attempts = 1

  constructor({ code, message, status = null, details, requestId = null, cause }: Failure) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.details = details
    this.requestId = requestId
    this.retryable = status === null ? code === "network_error" : isRetryable(status)
  }
}

const isRetryable = (status: number) =>
  status === 429 || (status >= 500 && status !== 501 && status !== 505)
