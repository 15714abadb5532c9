import type { Context } from "hono"
import { HTTPException } from "hono/http-exception"
import type { $ZodIssue } from "zod/v4/core"
import { isOfWrongType } from "../../../lib/plain-issue.ts"
import { isPassingFault } from "../passing-fault.ts"

export const ERROR_STATUS = {
  validation_error: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  idempotency_conflict: 409,
  payload_too_large: 413,
  domain_not_verified: 422,
  suppressed_recipient: 422,
  rate_limited: 429,
  internal_error: 500,
  not_configured: 503,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: unknown
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string,
    details?: unknown,
    headers: Record<string, string> = {},
  ) {
    super(message)
    this.code = code
    this.details = details
    this.headers = headers
  }
}

export interface Issue {
  path: (string | number)[]
  message: string
}

export const unauthorized = () =>
  new ApiError(
    "unauthorized",
    "A valid API key is required: 'Authorization: Bearer <API_KEY>'.",
    undefined,
    { "www-authenticate": "Bearer" },
  )
export const sendingOnly = () => new ApiError("forbidden", "This key is sending-only.")
export const otherDomain = () =>
  new ApiError("forbidden", "This API key is restricted to another domain.")
/** `otherDomain` in the words of the reference. */
export const OTHER_DOMAIN = "The key is restricted to another domain."
export const notFound = (noun: string) => new ApiError("not_found", `${noun} not found.`)
/** The row that a query found. Refuses the call without a row. */
export function orNotFound<T>(row: T | undefined, noun: string): T {
  if (row === undefined) throw notFound(noun)
  return row
}
export const retryLater = (code: ErrorCode, message: string, seconds: number) =>
  new ApiError(code, message, undefined, { "retry-after": String(seconds) })
export const conflict = (message: string) => new ApiError("conflict", message)
/** A message that is a whole sentence stands alone. Any other one follows the name of the field. */
export const invalid = (path: Issue["path"], message: string) =>
  message.endsWith(".")
    ? new ApiError("validation_error", message, [{ path, message }])
    : invalidIssues([{ path, message }])

/** A refusal lists at most this many issues, and counts the others. */
const MAX_ISSUES = 100
const MAX_NAME_CHARACTERS = 200

export function invalidIssues(issues: readonly Issue[]): ApiError {
  const named = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: path.map(clipped), message }))
  const [first] = named
  const where = first?.path.length ? `${first.path.join(".")}: ` : ""
  const more = issues.length > MAX_ISSUES ? ` (and ${issues.length - MAX_ISSUES} more issues)` : ""
  const message = `${where}${first?.message ?? "Invalid input"}${more}`
  return new ApiError("validation_error", message, named)
}

/** The refusal of a list because of one item. */
export const atIndex = (index: number, error: ApiError) =>
  new ApiError(error.code, error.message, { index, cause: error.details })

const clipped = (part: string | number) =>
  typeof part === "string" && part.length > MAX_NAME_CHARACTERS
    ? `${part.slice(0, MAX_NAME_CHARACTERS)}…`
    : part

/** Issues in the form of the reply. For a union, the issues of the best matching branch. */
export function toIssues(issues: readonly $ZodIssue[]): Issue[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))
    const inner = innerIssues(issue)
    return inner.length === 0
      ? [{ path, message: issue.message }]
      : inner.map((one) => ({ path: [...path, ...one.path], message: one.message }))
  })
}

function innerIssues(issue: $ZodIssue): Issue[] {
  if (issue.code === "invalid_key") return toIssues(issue.issues)
  if (issue.code !== "invalid_union" || issue.errors.every(isOfWrongType)) return []
  const branches = issue.errors.map(toIssues)
  return branches.sort((a, b) => depth(b) - depth(a))[0] ?? []
}

const depth = (issues: Issue[]) =>
  issues.reduce((deepest, { path }) => Math.max(deepest, path.length), 0)

/** Turns every error into a reply. `everyResponse` logs it. */
export function onError(error: Error, c: Context): Response {
  const known = toApiError(error)
  c.set("failure", error)
  const { code, message, details } = known
  return c.json({ error: { code, message, details } }, ERROR_STATUS[code], known.headers)
}

/** The message of a trigger that refuses writes of a team, while the team moves to another database. */
export const TEAM_IS_MOVING = "the team is moving to another database"

export const isTeamMoving = (error: unknown): boolean =>
  error instanceof Error && (error.message.includes(TEAM_IS_MOVING) || isTeamMoving(error.cause))

/** The message of a trigger that refuses a row above a limit of its team. */
const LIMIT_OF_TEAM = /^D1_ERROR: (at most [\d,]+ [\w ,]+): SQLITE_CONSTRAINT/

function limitOfTeam(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return LIMIT_OF_TEAM.exec(error.message)?.[1] ?? limitOfTeam(error.cause)
}

export function toApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error
  const limit = limitOfTeam(error)
  if (limit) return conflict(`A team has ${limit}.`)
  if (isTeamMoving(error)) {
    return retryLater("unavailable", "The team is moving. Try again in a few seconds.", 5)
  }
  if (error instanceof HTTPException && error.status === 400) return invalid([], error.message)
  return isPassingFault(error)
    ? retryLater("unavailable", "The service is overloaded. Try again shortly.", 2)
    : new ApiError("internal_error", "Something went wrong on our side.")
}
