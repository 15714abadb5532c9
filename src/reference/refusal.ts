import type * as z from "zod"
import type { Endpoint } from "../worker/platform/http/endpoint.ts"
import { ApiError, ERROR_STATUS, type ErrorCode, invalid } from "../worker/platform/http/errors.ts"
import { readInput, readItems } from "../worker/platform/http/input/read-input.ts"

interface Refusal {
  status: number
  body: { error: { code: ErrorCode; message: string; details?: unknown } }
}

/** The most likely refusal of each of these calls. */
const LIKELY: Record<string, ApiError> = {
  "emails.send": new ApiError("suppressed_recipient", "A recipient is on the suppression list.", [
    { email: "ada@example.com", reason: "bounce" },
  ]),
  "emails.batch": new ApiError(
    "domain_not_verified",
    "No verified domain of the team matches 'from': example.com. Verified: mail.example.com.",
    { index: 1 },
  ),
  "emails.sendRaw": invalid(["from"], "The message has no From field."),
  "emails.reschedule": new ApiError(
    "conflict",
    "An email in status 'cancelled' cannot be rescheduled.",
  ),
  "emails.cancel": new ApiError(
    "conflict",
    "An email in status 'delivered' can no longer be cancelled.",
  ),
  "apiKeys.create": new ApiError("validation_error", "Domain not found.", [
    { path: ["domainId"], message: "Domain not found." },
  ]),
  "domains.create": new ApiError("conflict", "The domain 'mail.example.com' is taken."),
  "templates.create": new ApiError("conflict", "The slug 'welcome' is taken."),
  "templates.render": new ApiError("validation_error", "Missing variables: name.", {
    missing: ["name"],
    invalid: [],
  }),
  "contacts.create": new ApiError("conflict", "ada@example.com is in this book already."),
  "campaigns.sendNow": new ApiError("conflict", "A campaign in status 'sent' cannot be sent."),
  "receivedEmails.create": new ApiError("not_found", "Inbox not found."),
  "webhooks.test": new ApiError("conflict", "The webhook is disabled."),
}

const NOUNS: Record<string, string> = {
  "api-keys": "API key",
  attachments: "File",
  campaigns: "Campaign",
  "contact-books": "Contact book",
  contacts: "Contact",
  deliveries: "Delivery",
  domains: "Domain",
  emails: "Email",
  forms: "Form",
  invitations: "Invitation",
  layouts: "Layout",
  members: "Member",
  passkeys: "Passkey",
  recipients: "Address",
  sessions: "Session",
  suppressions: "Suppression",
  templates: "Template",
  runs: "Run",
  segments: "Segment",
  sequences: "Sequence",
  topics: "Topic",
  views: "View",
  webhooks: "Webhook",
  inboxes: "Inbox",
  "received-emails": "Received email",
  threads: "Thread",
}

/** A refusal of this call, as the service answers it. */
export function shownRefusal(endpoint: Endpoint): Refusal | undefined {
  const error = LIKELY[endpoint.name] ?? ofQuery(endpoint) ?? ofPath(endpoint) ?? ofBody(endpoint)
  if (!error) return undefined
  const { code, message, details } = error
  return {
    status: ERROR_STATUS[code],
    body: { error: { code, message, ...(details !== undefined && { details }) } },
  }
}

/** The refusal of a page without records, or of a time that is none. */
function ofQuery(endpoint: Endpoint): ApiError | undefined {
  const { query } = endpoint
  const given = wrongQuery(endpoint)
  return query && given && refusalOf(() => readInput(query, Object.fromEntries([given])))
}

/** The first of these members that the call takes, with a wrong value. */
export const wrongQuery = ({ query }: Endpoint): [name: string, value: string] | undefined =>
  Object.entries({ limit: "0", at: "yesterday", since: "yesterday" }).find(
    ([name]) => query && name in query.shape,
  )

function ofPath({ path }: Endpoint): ApiError | undefined {
  const collection = [...path.matchAll(/([^/]+)\/:/g)].at(-1)?.[1]
  const noun = NOUNS[collection ?? ""]
  return noun === undefined ? undefined : new ApiError("not_found", `${noun} not found.`)
}

/** The refusal of an empty body. */
const ofBody = ({ json, perItem, bodyOptional }: Endpoint) =>
  json && !bodyOptional
    ? refusalOf(() =>
        perItem ? readItems(json as z.ZodArray<z.ZodType>, [{}]) : readInput(json, {}),
      )
    : undefined

function refusalOf(read: () => unknown): ApiError | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
