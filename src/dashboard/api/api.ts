import { createApiKeysApi } from "../../client/api-keys.ts"
import { createCalls } from "../../client/calls.ts"
import { createCampaignsApi } from "../../client/campaigns.ts"
import { createContactBooksApi } from "../../client/contact-books.ts"
import { createContactsApi } from "../../client/contacts.ts"
import { createDomainsApi } from "../../client/domains.ts"
import { createEmailsApi } from "../../client/emails.ts"
import { createEventsApi } from "../../client/events.ts"
import { createFormsApi } from "../../client/forms.ts"
import { createInboxesApi } from "../../client/inboxes.ts"
import { createReceivedEmailsApi } from "../../client/received-emails.ts"
import type { Call, CallOptions } from "../../client/request.ts"
import { createSandboxApi } from "../../client/sandbox.ts"
import { createSegmentsApi } from "../../client/segments.ts"
import { createRunsApi, createSequencesApi } from "../../client/sequences.ts"
import { openStream, type StreamOptions } from "../../client/stream.ts"
import { createSuppressionsApi } from "../../client/suppressions.ts"
import { createTemplatesApi } from "../../client/templates.ts"
import { createThreadsApi } from "../../client/threads.ts"
import { createTopicsApi } from "../../client/topics.ts"
import { createWebhooksApi } from "../../client/webhooks.ts"
import type { Endpoint } from "../../worker/platform/http/endpoint.ts"
import { takeFirstCall } from "./first-calls.ts"
import { chosenTeam, type ReplyOf, type Session, sessionEnded, signedIn } from "./session.ts"

export { EdgepostError } from "../../client/error.ts"
export { path } from "../../client/path.ts"

/** The session's cookie takes the place of the key, and a header names the team. */
const teamFetch: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete("authorization")
  const team = chosenTeam.get()
  if (team) headers.set("x-team-id", team)
  const reply = await (takeFirstCall(String(input), init) ?? fetch(input, { ...init, headers }))
  if (reply.status === 403 && team) await forgetLostTeam(team)
  return reply
}

const sessionFetch: typeof fetch = async (input, init) => {
  const reply = await teamFetch(input, init)
  if (reply.status === 401) {
    signedIn.forget()
    sessionEnded.set(true)
  }
  return reply
}

/**
 * The session itself is refused when the person is no longer in the chosen team. The team may also
 * require a second factor since a moment ago.
 */
async function forgetLostTeam(team: string) {
  const reply = await fetch("/dashboard/api/session", { headers: { "x-team-id": team } })
  if (reply.ok) {
    const session: Session = await reply.json()
    const isThere = location.pathname === "/dashboard/second-factor"
    if (session.secondFactorMissing && !isThere) location.assign("/dashboard/second-factor")
    return
  }
  if (reply.status !== 403) return
  chosenTeam.forget()
  location.reload()
}

/** How long a call waits for its answer. */
export const TIMEOUT_MS = 30_000

const open = (apiUrl: string, fetch: typeof teamFetch) =>
  createCalls({
    apiKey: "",
    apiUrl,
    maxRetries: 2,
    timeoutMs: TIMEOUT_MS,
    idempotencyKeys: "given",
    fetch,
  })

const calls = open("/dashboard/api", sessionFetch)
const auth = open("/dashboard/auth", teamFetch)

/** The client library, with the session of the person who is signed in. */
export const api = {
  emails: createEmailsApi(calls),
  domains: createDomainsApi(calls),
  apiKeys: createApiKeysApi(calls),
  webhooks: createWebhooksApi(calls),
  events: createEventsApi(calls),
  suppressions: createSuppressionsApi(calls),
  templates: createTemplatesApi(calls),
  contactBooks: createContactBooksApi(calls),
  contacts: createContactsApi(calls),
  segments: createSegmentsApi(calls),
  topics: createTopicsApi(calls),
  campaigns: createCampaignsApi(calls),
  sequences: createSequencesApi(calls),
  runs: createRunsApi(calls),
  forms: createFormsApi(calls),
  sandbox: createSandboxApi(calls),
  inboxes: createInboxesApi(calls),
  threads: createThreadsApi(calls),
  receivedEmails: createReceivedEmailsApi(calls),
  stream: (options: StreamOptions) => openStream(calls.config, options),
}

/**
 * A call that only the dashboard makes. Its reply has the type of its endpoint in the contract.
 *
 * @example
 * const team = await call<typeof getTeam>({ method: "GET", path: "/team" })
 */
export const call = <E extends Endpoint>(call: Call, options?: CallOptions): Promise<ReplyOf<E>> =>
  calls.call(call, options)

/** A call of sign-in, below `/dashboard/auth`. */
export const callAuth = <T = unknown>(call: Call, options?: CallOptions): Promise<T> =>
  auth.call(call, options)
