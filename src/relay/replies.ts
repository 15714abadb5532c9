import { EdgepostError } from "../client/index.ts"

/** smtp-server sends the code and the message as its reply. */
type Refusal = Error & { responseCode: number }

export const refusal = (responseCode: number, text: string): Refusal =>
  Object.assign(new Error(text), { responseCode })

const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Error && "responseCode" in error

/** The replies to errors of the API. All other errors are temporary. */
const REPLIES: { [Code in EdgepostError["code"]]?: [number, string] } = {
  // RFC 4954, section 6: the reply to a command that needs a login.
  unauthorized: [530, "5.7.0"],
  forbidden: [550, "5.7.1"],
  domain_not_verified: [550, "5.7.1"],
  suppressed_recipient: [550, "5.7.1"],
  idempotency_conflict: [550, "5.6.0"],
  payload_too_large: [552, "5.3.4"],
  validation_error: [501, "5.6.0"],
  rate_limited: [452, "4.3.2"],
}

/** The SMTP reply to a failed call of the API. */
export function toRefusal(error: unknown): Refusal {
  if (isRefusal(error)) return error
  const [code, status] = (error instanceof EdgepostError && REPLIES[error.code]) || []
  if (!code) return refusal(451, "4.3.0 Temporary failure, try again later")
  return refusal(code, `${status} ${toText(error as EdgepostError)}`)
}

function toText({ code, message, details }: EdgepostError): string {
  if (code === "idempotency_conflict") return "Another message has been sent with this Message-ID"
  const told = readDetails(details)
  if (!told) return message
  // The message of a validation error repeats the first invalid field.
  return code === "validation_error" ? told : `${message} ${told}`
}

interface Detail {
  email?: string
  reason?: string
  message?: string
}

/** Names the suppressed addresses, or the place of what is invalid. */
function readDetails(details: unknown): string {
  const list: Detail[] = Array.isArray(details) ? details : []
  return list
    .slice(0, 5)
    .map(({ email, reason, message }) => (email ? `${email} (${reason})` : message))
    .join("; ")
}
