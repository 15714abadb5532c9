import type { ErrorBody } from "./types.ts"

/** The codes of the API's errors, and those that the client adds. */
export type EdgepostErrorCode =
  | ErrorBody["error"]["code"]
  /** No reply arrived: the connection broke, or the call took longer than its timeout. */
  | "network_error"
  /** The reply is not JSON of the API, for example the page of a proxy. */
  | "unexpected_reply"
  /** The API key or the base URL is missing, or the input cannot be sent. */
  | "configuration"

interface Failure {
  code: EdgepostErrorCode
  message: string
  status?: number | null
  details?: unknown
  requestId?: string | null
  cause?: unknown
}

/** The error of every failed call, except a call that the caller's own signal aborted. */
export class EdgepostError extends Error {
  override readonly name = "EdgepostError"
  readonly code: EdgepostErrorCode
  /** The HTTP status. Null if no reply arrived. */
  readonly status: number | null
  /** More about the error, for example the issues of a refused input. */
  readonly details: unknown
  /** The `x-request-id` of the reply. Give it when you ask for help. */
  readonly requestId: string | null
  /** Whether the same call may succeed later: after a broken connection, 429, or 5xx except 501 and 505. */
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

/** The error of a failed reply. `json` is its body, or undefined if the body is not JSON. */
export function toError(response: Response, json: unknown): EdgepostError {
  const { status } = response
  const error = (json as Partial<ErrorBody> | null | undefined)?.error
  const told = typeof error?.code === "string" ? error : undefined
  const code: EdgepostErrorCode = status >= 500 ? "internal_error" : "unexpected_reply"
  return new EdgepostError({
    code: told?.code ?? code,
    message: told?.message ?? `The server answered ${status} without the API's JSON.`,
    status,
    details: told?.details,
    requestId: response.headers.get("x-request-id"),
  })
}
