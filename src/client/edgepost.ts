import { createApiKeysApi } from "./api-keys.ts"
import { type Calls, createCalls, get } from "./calls.ts"
import { createCampaignsApi } from "./campaigns.ts"
import { type EdgepostOptions, readConfig } from "./config.ts"
import { createContactBooksApi } from "./contact-books.ts"
import { createContactsApi } from "./contacts.ts"
import { createDomainsApi } from "./domains.ts"
import { createEmailsApi } from "./emails.ts"
import { createEventsApi } from "./events.ts"
import { createFormsApi } from "./forms.ts"
import { createInboxesApi } from "./inboxes.ts"
import { iterate } from "./pages.ts"
import { createReceivedEmailsApi } from "./received-emails.ts"
import type { Answer, CallOptions } from "./request.ts"
import { createSandboxApi } from "./sandbox.ts"
import { createSegmentsApi } from "./segments.ts"
import { createRunsApi, createSequencesApi } from "./sequences.ts"
import { type ChangeStream, openStream, type StreamOptions } from "./stream.ts"
import { createSuppressionsApi } from "./suppressions.ts"
import { createTemplatesApi } from "./templates.ts"
import { createThreadsApi } from "./threads.ts"
import { createTopicsApi } from "./topics.ts"
import type {
  Me,
  RefusedCallPage,
  RefusedCallsQuery,
  Stats,
  StatsSeries,
  StatsSeriesQuery,
} from "./types.ts"
import { createWebhooksApi } from "./webhooks.ts"

/**
 * A client of one installation of Edgepost, with one API key.
 *
 * Every call resolves to the body of the reply, or to `undefined` if the reply has none. It rejects
 * with an `EdgepostError`. After a temporary failure the client repeats GET, PATCH and DELETE, and a
 * POST only if repeating it is safe.
 *
 * @example
 * const edgepost = new Edgepost({ apiKey: "svc_live_…", baseUrl: "https://mail.example.com" })
 * const { id } = await edgepost.emails.send({
 *   from: "Hello <hello@example.com>",
 *   to: "ada@example.org",
 *   subject: "It works",
 *   html: "<p>Hi there</p>",
 * })
 */
export class Edgepost {
  readonly #calls: Calls
  readonly emails: ReturnType<typeof createEmailsApi>
  readonly domains: ReturnType<typeof createDomainsApi>
  readonly apiKeys: ReturnType<typeof createApiKeysApi>
  readonly webhooks: ReturnType<typeof createWebhooksApi>
  readonly events: ReturnType<typeof createEventsApi>
  readonly suppressions: ReturnType<typeof createSuppressionsApi>
  readonly templates: ReturnType<typeof createTemplatesApi>
  readonly contactBooks: ReturnType<typeof createContactBooksApi>
  readonly contacts: ReturnType<typeof createContactsApi>
  readonly segments: ReturnType<typeof createSegmentsApi>
  readonly forms: ReturnType<typeof createFormsApi>
  readonly topics: ReturnType<typeof createTopicsApi>
  readonly campaigns: ReturnType<typeof createCampaignsApi>
  readonly sequences: ReturnType<typeof createSequencesApi>
  readonly runs: ReturnType<typeof createRunsApi>
  readonly sandbox: ReturnType<typeof createSandboxApi>
  readonly inboxes: ReturnType<typeof createInboxesApi>
  readonly receivedEmails: ReturnType<typeof createReceivedEmailsApi>
  readonly threads: ReturnType<typeof createThreadsApi>

  /** Throws an `EdgepostError` with code `configuration` if the API key or the base URL is missing. */
  constructor(options: EdgepostOptions = {}) {
    const calls = createCalls(readConfig(options))
    this.#calls = calls
    this.emails = createEmailsApi(calls)
    this.domains = createDomainsApi(calls)
    this.apiKeys = createApiKeysApi(calls)
    this.webhooks = createWebhooksApi(calls)
    this.events = createEventsApi(calls)
    this.suppressions = createSuppressionsApi(calls)
    this.templates = createTemplatesApi(calls)
    this.contactBooks = createContactBooksApi(calls)
    this.contacts = createContactsApi(calls)
    this.segments = createSegmentsApi(calls)
    this.forms = createFormsApi(calls)
    this.topics = createTopicsApi(calls)
    this.campaigns = createCampaignsApi(calls)
    this.sequences = createSequencesApi(calls)
    this.runs = createRunsApi(calls)
    this.sandbox = createSandboxApi(calls)
    this.inboxes = createInboxesApi(calls)
    this.receivedEmails = createReceivedEmailsApi(calls)
    this.threads = createThreadsApi(calls)
  }

  /** The team and the key that calls. */
  me(options?: CallOptions): Promise<Me> {
    return this.#calls.call(get`/me`, options)
  }

  /** A page of the calls of the team's keys that were refused in the last 7 days, newest first. */
  refusedCalls(query: RefusedCallsQuery = {}, options?: CallOptions): Promise<RefusedCallPage> {
    return this.#calls.call(get`/refused-calls`, options, { query })
  }

  /** Every refused call that the query finds. Reads one page after another. */
  iterateRefusedCalls(query: RefusedCallsQuery = {}, options?: CallOptions) {
    return iterate((page: RefusedCallsQuery, more) => this.refusedCalls(page, more), query, options)
  }

  /** Counts and rates of the last 30 days, and alerts. */
  stats(options?: CallOptions): Promise<Stats> {
    return this.#calls.call(get`/stats`, options)
  }

  /** Counts by the hour or by the day, and their totals. Filters combine. */
  statsSeries(query: StatsSeriesQuery = {}, options?: CallOptions): Promise<StatsSeries> {
    return this.#calls.call(get`/stats/series`, options, { query })
  }

  /** Follows the team's changes. Reconnects by itself, and then gets the changes it has missed. */
  stream(options: StreamOptions = {}): ChangeStream {
    return openStream(this.#calls.config, options)
  }

  /**
   * The data of a call together with the HTTP reply, for its status and headers.
   *
   * @example
   * const { data, response } = await edgepost.withResponse(edgepost.me())
   */
  withResponse<T>(promise: Promise<T>): Promise<Answer<T>> {
    return this.#calls.withResponse(promise)
  }
}
