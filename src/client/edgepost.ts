import { openApiKeys } from "./api-keys.ts"
import { openCampaigns } from "./campaigns.ts"
import { type EdgepostOptions, readConfig } from "./config.ts"
import { openContactBooks } from "./contact-books.ts"
import { openContacts } from "./contacts.ts"
import { openDomains } from "./domains.ts"
import { openEmails } from "./emails.ts"
import { openEvents } from "./events.ts"
import type { Answer, CallOptions } from "./request.ts"
import { openSandbox } from "./sandbox.ts"
import { type ChangeStream, openStream, type StreamOptions } from "./stream.ts"
import { openSuppressions } from "./suppressions.ts"
import { openTemplates } from "./templates.ts"
import { get, openTransport, type Transport } from "./transport.ts"
import type { Me, Stats } from "./types.ts"
import { openWebhooks } from "./webhooks.ts"

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
  readonly #transport: Transport
  readonly emails: ReturnType<typeof openEmails>
  readonly domains: ReturnType<typeof openDomains>
  readonly apiKeys: ReturnType<typeof openApiKeys>
  readonly webhooks: ReturnType<typeof openWebhooks>
  readonly events: ReturnType<typeof openEvents>
  readonly suppressions: ReturnType<typeof openSuppressions>
  readonly templates: ReturnType<typeof openTemplates>
  readonly contactBooks: ReturnType<typeof openContactBooks>
  readonly contacts: ReturnType<typeof openContacts>
  readonly campaigns: ReturnType<typeof openCampaigns>
  readonly sandbox: ReturnType<typeof openSandbox>

  /** Throws an `EdgepostError` with code `configuration` if the API key or the base URL is missing. */
  constructor(options: EdgepostOptions = {}) {
    const transport = openTransport(readConfig(options))
    this.#transport = transport
    this.emails = openEmails(transport)
    this.domains = openDomains(transport)
    this.apiKeys = openApiKeys(transport)
    this.webhooks = openWebhooks(transport)
    this.events = openEvents(transport)
    this.suppressions = openSuppressions(transport)
    this.templates = openTemplates(transport)
    this.contactBooks = openContactBooks(transport)
    this.contacts = openContacts(transport)
    this.campaigns = openCampaigns(transport)
    this.sandbox = openSandbox(transport)
  }

  /** The team and the key that calls. */
  me(options?: CallOptions): Promise<Me> {
    return this.#transport.call(get`/me`, options)
  }

  /** Counts and rates of the last 30 days, and alerts. */
  stats(options?: CallOptions): Promise<Stats> {
    return this.#transport.call(get`/stats`, options)
  }

  /** Follows the team's changes. Reconnects by itself, and then gets the changes it has missed. */
  stream(options: StreamOptions = {}): ChangeStream {
    return openStream(this.#transport.config, options)
  }

  /**
   * The data of a call together with the HTTP reply, for its status and headers.
   *
   * @example
   * const { data, response } = await edgepost.withResponse(edgepost.me())
   */
  withResponse<T>(promise: Promise<T>): Promise<Answer<T>> {
    return this.#transport.withResponse(promise)
  }
}
