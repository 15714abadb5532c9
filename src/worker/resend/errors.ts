import type { Context } from "hono"
import { ApiError, type ErrorCode, type Issue, toApiError } from "../platform/http/errors.ts"

/** Resend's status and name for each of our codes. */
const RESEND_ERRORS: Record<ErrorCode, [status: number, name: string]> = {
  validation_error: [400, "validation_error"],
  unauthorized: [403, "invalid_api_key"],
  forbidden: [401, "restricted_api_key"],
  not_found: [404, "not_found"],
  method_not_allowed: [405, "method_not_allowed"],
  conflict: [409, "validation_error"],
  idempotency_conflict: [409, "invalid_idempotent_request"],
  payload_too_large: [413, "validation_error"],
  domain_not_verified: [422, "invalid_from_address"],
  suppressed_recipient: [422, "validation_error"],
  rate_limited: [429, "rate_limit_exceeded"],
  internal_error: [500, "internal_server_error"],
  not_configured: [503, "application_error"],
  unavailable: [503, "application_error"],
}

/** A refusal with a name that only Resend's API has. */
export class ResendError extends ApiError {
  readonly status: number
  readonly resendName: string

  constructor(status: number, resendName: string, message: string) {
    super("validation_error", message)
    this.status = status
    this.resendName = resendName
  }
}

/** Refuses a member that Edgepost does not support and must not ignore. */
export const unsupported = (member: string, reason: string) =>
  new ResendError(422, "invalid_parameter", `\`${member}\` is not supported. ${reason}`)

/** The answer; undefined if the record does not exist. */
export const whereThereIs = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "not_found") return undefined
    throw error
  })

/** Turns every error into a reply of Resend's API. */
export function onResendError(error: Error, c: Context): Response {
  const known = toApiError(error)
  c.set("failure", error)
  const [statusCode, name] = named(known, c)
  const body = { statusCode, name, message: messageOf(known) }
  return Response.json(body, { status: statusCode, headers: known.headers })
}

function named(error: ApiError, c: Context): [number, string] {
  if (error instanceof ResendError) return [error.status, error.resendName]
  if (error.code === "unauthorized" && !c.req.header("authorization")) {
    return [401, "missing_api_key"]
  }
  const [issue] = issuesOf(error)
  if (issue?.path[0] === "idempotency-key") return [400, "invalid_idempotency_key"]
  if (issue?.path[0] === "attachments") return [422, "invalid_attachment"]
  if (issue && isMissing(issue)) return [422, "missing_required_field"]
  return RESEND_ERRORS[error.code]
}

export function messageOf(error: ApiError): string {
  if (error.code === "suppressed_recipient") return `${error.message} ${blockedIn(error)}`.trim()
  const { index, issues } = detailsOf(error)
  const at = index === undefined ? "" : `emails[${index}]: `
  const [first] = issues
  if (!first) return at + error.message
  const path = namesOf(first.path).join(".")
  if (isMissing(first) && path !== "") {
    return `${at}Missing \`${path}\` field. ${first.message}`.replace(/ Required$/, "")
  }
  return `${at}${path === "" ? "" : `Invalid \`${path}\` field. `}${first.message}`
}

const isMissing = ({ message }: Issue) => /^(Required|One of)\b/.test(message)

/** Members with another name in Resend. */
const NAMES: Record<string, string> = {
  replyTo: "reply_to",
  scheduledAt: "scheduled_at",
  contentType: "content_type",
  contentId: "content_id",
  firstName: "first_name",
  lastName: "last_name",
  subscribed: "unsubscribed",
  domainId: "domain_id",
  bookId: "segment_id",
  contactId: "contact_id",
  topicId: "topic_id",
  preheader: "preview_text",
  blocks: "html",
  url: "endpoint",
  slug: "alias",
  bodyHtml: "html",
  bodyText: "text",
  variablesSchema: "variables",
  cursor: "after",
}

/** The caller chose names such as those of headers, so these stay. */
const namesOf = (path: Issue["path"]) =>
  path.map((part, index) =>
    typeof part === "string" && (index === 0 || path[0] === "attachments")
      ? (NAMES[part] ?? part)
      : part,
  )

const issuesOf = (error: ApiError) => detailsOf(error).issues

function detailsOf({ details }: ApiError): { index?: number; issues: Issue[] } {
  if (Array.isArray(details)) return { issues: details.filter(isIssue) }
  const { index, cause } = (details ?? {}) as { index?: unknown; cause?: unknown }
  if (typeof index !== "number") return { issues: [] }
  return { index, issues: Array.isArray(cause) ? cause.filter(isIssue) : [] }
}

const isIssue = (value: unknown): value is Issue =>
  typeof value === "object" && value !== null && "path" in value && "message" in value

function blockedIn({ details }: ApiError): string {
  const { cause = details } = (details ?? {}) as { cause?: unknown }
  const blocked = Array.isArray(cause) ? (cause as { email: string; reason: string }[]) : []
  return blocked.map(({ email, reason }) => `${email} (${reason})`).join(", ")
}
