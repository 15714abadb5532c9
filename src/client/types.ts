// Written by `npm run client-types` out of the contract's schemas.
export interface ApiKeyPage {
  data: ApiKey[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface ApiKey {
  id: string
  name: string
  permission: "full" | "sending_only"
  /** The first 16 characters of the secret. */
  keyPrefix: string
  /** When set, the only domain the key may send from. */
  domainId: string | null
  /** Written at most once a minute. */
  lastUsedAt: string | null
  createdAt: string
}

export interface RefusedCallPage {
  data: RefusedCall[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
  /** The page has looked back to this time. Absent if it has looked at everything. */
  searchedUntil?: string
}

export interface RefusedCall {
  id: string
  /** The time of the last one. */
  at: string
  key: {
    id: string
    /** Null after the key is revoked. */
    name: string | null
  }
  /** The method and the path, without ids. */
  call: string
  code: string
  message: string
  /** How often the same call was refused within the minute. */
  count: number
}

export interface SendInput {
  /** `a@b.c` or `Name <a@b.c>`, on a verified domain or below one. */
  from: string
  /** Each as `from`. `to`, `cc` and `bcc` together: at most 50. */
  to: string | string[]
  cc?: string | string[]
  bcc?: string | string[]
  replyTo?: string | string[]
  /** Required without a template, whose subject it replaces. */
  subject?: string
  /** At least one of `html`, `text` and `template` is required. */
  html?: string
  /** Without it, the message gets a text part made from its html, also from a template's. The empty string: no text part. */
  text?: string
  /** A template's slug or id; excludes `html` and `text`. */
  template?: string
  /** Values for the template, only with one. */
  variables?: Record<string, unknown>
  /** Value by name: `X-` headers of your own, and standard ones such as `List-Unsubscribe`, `In-Reply-To`, `References`, `Feedback-ID` and `Importance`. Refused are those that the service or the transport sets, and those by which a provider is told what to do, such as `X-SES-*` and `X-MJ-*`. */
  headers?: Record<string, string>
  /** The `Message-ID` of RFC 5322, `<local@domain>`, so that answers and threads of your own find the message. The domain is that of `from` or one below it. The sandbox and SMTP keep it; Amazon SES and Cloudflare set their own. */
  messageId?: string
  attachments?: Array<{
    filename: string
    /** Base64, standard or URL-safe, padded or not, line breaks allowed; all attachments together decode to at most 10 MiB. */
    content: string
    /** The first `text/calendar` with a `method`, such as `text/calendar; method=REQUEST`, becomes an alternative of the body, so that mail programs show an invitation. Through Cloudflare it stays a file. */
    contentType?: string
    /** Makes it inline: `<img src="cid:…">`. */
    contentId?: string
  }>
  /** Up to 20; value by key. */
  tags?: Record<string, string>
  /** More than 5 seconds ahead: sent then. Up to one year ahead. */
  scheduledAt?: string | null
  /** A pixel in `html` tells of opens. Without a value, the team's setting holds. */
  trackOpens?: boolean
  /** Links to http(s) in `html` tell of clicks, but for the unsubscribe link and links of more than 2,048 characters. Without a value, the team's setting holds. */
  trackClicks?: boolean
  /** Mail suppressed addresses all the same; ignored for a sending-only key, and for a member of the team in the dashboard. By default `false`. */
  overrideSuppression?: boolean
  /** `skip`: the email goes to the other recipients, and its timeline names the skipped ones. With nobody left it is accepted and `cancelled`. Default `refuse`: one suppressed recipient refuses the email. */
  onSuppressed?: "refuse" | "skip"
  /** The same key with the same input sends once. See idempotency. */
  idempotencyKey?: string
}

export interface EmailPage {
  data: Email[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
  /** The page has looked back to this time. Absent if it has looked at everything. */
  searchedUntil?: string
}

export interface Email {
  id: string
  from: string
  to: string[]
  cc: string[]
  bcc: string[]
  replyTo: string[]
  subject: string
  status:
    | "queued"
    | "scheduled"
    | "sending"
    | "sent"
    | "delivered"
    | "bounced"
    | "failed"
    | "cancelled"
    | "complained"
  tags: Record<string, string>
  domainId: string
  campaignId: string | null
  sequenceId: string | null
  /** The run of the sequence. */
  runId: string | null
  templateId: string | null
  scheduledAt: string | null
  sentAt: string | null
  createdAt: string
  /** Why the last attempt to send did not succeed. */
  lastError: string | null
}

export interface EmailWithEvents extends Email {
  /** The timeline, oldest first, at most 100 entries. */
  events: EmailEvent[]
  /** Where more entries follow, the `eventsCursor` that reads on. */
  eventsCursor?: string
}

export interface EmailEvent {
  id: string
  type:
    | "sent"
    | "delivered"
    | "delayed"
    | "bounced"
    | "complained"
    | "opened"
    | "clicked"
    | "failed"
    | "cancelled"
    | "suppressed"
    | "replied"
  occurredAt: string
  bounceType?: "Permanent" | "Transient" | "Undetermined"
  bounceSubType?: string
  /** The receiving server's words, cut to 1000 characters. */
  diagnosticCode?: string
  complaintFeedbackType?: string
  recipients?: string[]
  url?: string
  userAgent?: string
  ip?: string
  /** What the provider gave as the reason, cut to 1000 characters. With `sent`, how a lost answer was settled: `settled_by_provider_event`, `settled_by_open_or_click` or `sent_again_without_answer`; or which headers the provider did not take. */
  reason?: string
  /** With `replied`: the received email that answers. */
  receivedId?: string
  /** With `sent`: why clicks are not tracked. See tracking. */
  untracked?: "too_many_links" | "signed_or_encrypted" | "unreadable"
}

export interface EmailExplanation {
  /** What happened, in plain words. */
  summary: string
  /** Null where nothing went wrong. */
  cause: {
    /** A name for the cause, the same whichever provider reported it. */
    code: string
    /** The status code of RFC 3463: `5.1.1`. */
    enhancedStatus: string | null
    /** The words of the provider or the receiving server. */
    diagnostic: string | null
    meaning: string
  } | null
  /** What to do, most important first. */
  next: string[]
  /** What is known of each try to hand the email over and to deliver it, oldest first, at most 100. */
  attempts: Array<{
    at: string
    outcome: "accepted" | "fault" | "failed" | "delayed" | "delivered" | "bounced" | "complained"
    answer: string | null
  }>
  /** Null where nothing more is expected. */
  waitingFor: {
    what: string
    /** Null where no time is set. */
    until: string | null
  } | null
}

export interface EmailCheck {
  /** Whether the same input, sent now, makes an email. A replay makes none. */
  wouldSend: boolean
  /** The error that a send answers, `details` null where it has none. */
  refusal: {
    code:
      | "validation_error"
      | "unauthorized"
      | "forbidden"
      | "not_found"
      | "method_not_allowed"
      | "conflict"
      | "idempotency_conflict"
      | "payload_too_large"
      | "domain_not_verified"
      | "suppressed_recipient"
      | "rate_limited"
      | "internal_error"
      | "not_configured"
      | "unavailable"
    message: string
    details: unknown
  } | null
  sender: {
    /** The team's domain that `from` is on, else the one of `from`. */
    domain: string
    /** Null where the team has no such domain; a sending-only key sees `verified` alone. */
    status: "pending" | "verified" | "failed" | null
    /** The policy that DNS shows. Null where DNS did not answer within a second. */
    dmarc: "missing" | "none" | "quarantine" | "reject" | null
  }
  /** Each address of to, cc and bcc, once. */
  recipients: Array<{
    address: string
    suppressed: {
      reason: "manual" | "unsubscribe" | "bounce" | "complaint"
      /** Null for a sending-only key. */
      since: string | null
      /** The email whose bounce or complaint it was. Null for a sending-only key. */
      sourceEmailId: string | null
    } | null
  }>
  message: {
    /** Null where the template could not be filled in. */
    subject: string | null
    /** Of html, text and attachments as base64, without a text part that is made. */
    bytes: number
    /** Whether it gets a text part, written or made from its html. */
    hasText: boolean
    attachments: number
  }
  warnings: Array<{
    code:
      | "already_sent"
      | "suppression_overridden"
      | "recipients_skipped"
      | "no_dmarc"
      | "no_text_part"
      | "html_too_long"
      | "message_too_large"
      | "misleading_link"
      | "image_without_alt"
      | "placeholder_left"
      | "no_list_unsubscribe"
      | "long_subject"
    message: string
    /** What to do about it. */
    mend: string
  }>
}

export interface Domain {
  id: string
  name: string
  status: "pending" | "verified" | "failed"
  provider: string
  region: string | null
  /** `auto`: the service wrote the records into the domain's zone at Cloudflare. */
  dnsMode: "auto" | "manual"
  /** What to publish in DNS. A DMARC record that is there already is shown as it is. */
  records: DnsRecord[]
  lastError: string | null
  /** While the installation moves to another provider: what to publish besides, and whether that provider has verified it. */
  next: {
    provider: string
    records: DnsRecord[]
    verifiedAt: string | null
    lastError: string | null
  } | null
  /** Whether the domain takes mail. */
  receiving: {
    /** `forward`: each inbox has an address of ours that its mail is forwarded to. `routing`: Cloudflare Email Routing leads the domain's mail here. */
    mode: "off" | "routing" | "forward"
    /** `pending` is tried again every two minutes, `failed` needs somebody's hand. */
    status: "off" | "pending" | "active" | "failed"
    /** What Email Routing has written into DNS. */
    records: DnsRecord[]
    lastError: string | null
  }
  createdAt: string
  verifiedAt: string | null
}

export interface DnsRecord {
  kind: "PROOF" | "DKIM" | "MAIL_FROM_MX" | "MAIL_FROM_SPF" | "DMARC" | "RECEIVING_MX"
  type: "CNAME" | "MX" | "TXT"
  /** The whole name, without a dot at its end. */
  name: string
  value: string
  priority: number | null
  /** Whether DNS showed it when it was last looked up. */
  ok: boolean
}

export interface DomainPage {
  data: Domain[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface Template {
  id: string
  slug: string
  name: string
  /** May contain `{{ name }}`. */
  subject: string
  /** May contain `{{ name }}`; values are HTML-escaped. */
  bodyHtml: string
  /** May contain `{{ name }}`; values stand as they are. */
  bodyText: string | null
  variablesSchema: VariablesSchema
  version: number
  createdAt: string
  updatedAt: string
}

export interface VariablesSchema {
  variables: Array<{
    name: string
    /** When set, a value of another type is refused. */
    type?: "string" | "number" | "boolean"
    /** Stands in for a missing value; without one the value is required. */
    default?: string | number | boolean
  }>
}

export interface TemplatePage {
  data: Template[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface TemplateWithVersions extends Template {
  versions: TemplateVersion[]
}

export interface TemplateVersion {
  version: number
  snapshot: {
    name: string
    /** May contain `{{ name }}`. */
    subject: string
    /** May contain `{{ name }}`; values are HTML-escaped. */
    bodyHtml: string
    /** May contain `{{ name }}`; values stand as they are. */
    bodyText: string | null
    variablesSchema: VariablesSchema
  }
  /** The name of the person or the API key. Null for versions of earlier releases. */
  publishedBy: string | null
  createdAt: string
}

export type TemplateLinkClicksPage = LinkClicksPage

export interface LinkClicks {
  /** An address in it is `{address}`, so that the link is the same for every recipient. Null: all links beyond the first 1,000. */
  url: string | null
  /** Recorded clicks. */
  clicks: number
  /** The emails that were clicked. */
  recipients: number
}

export interface LinkClicksPage {
  data: LinkClicks[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface ContactBook {
  id: string
  name: string
  defaultFrom: string | null
  contactCount: number
  subscribedCount: number
  createdAt: string
  updatedAt: string
}

export interface ContactBookPage {
  data: ContactBook[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface Contact {
  id: string
  bookId: string
  email: string
  firstName: string | null
  lastName: string | null
  properties: Record<string, string | number | boolean>
  subscribed: boolean
  /** As the caller gave it, or `link`, `one-click`, `mail`, `preferences`, `import`. */
  unsubscribeReason: string | null
  unsubscribedAt: string | null
  /** `pending`: asked by mail to confirm, not subscribed, and deleted after 7 days without an answer. Null: never asked. */
  confirmation: "pending" | "confirmed" | null
  confirmedAt: string | null
  /** What the contact has chosen, by the ids of topics. */
  topics: Record<string, boolean>
  createdAt: string
  updatedAt: string
}

export interface ContactPage {
  data: Contact[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface ConsentPage {
  data: Consent[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface Consent {
  id: string
  /** Null where a call of the API asked. */
  formId: string | null
  /** What the form said, as the person saw it. */
  wording: string | null
  /** The topics that were agreed to, beside the book. */
  topicIds: string[]
  askedAt: string
  /** Null until the person confirms. A form that asks nobody needs none. */
  confirmedAt: string | null
  /** The network address that sent the form, cut to /24 or /48. */
  network: string | null
  /** The one that confirmed. */
  confirmedNetwork: string | null
}

export interface Segment {
  name: string
  /** `{all: […]}` or `{any: […]}` with conditions `{field, op, value}`, at most 20 on both levels. Text is compared without regard to case. `above` and `below` compare numbers, `before` and `after` times; a property may have its time as `2018-03-24 10:23:10 UTC`, `2018-03-24 10:23` or `24.03.2018`, too, without a zone in UTC. `isNot` includes contacts without a value. */
  filter: {
    /** Every one of them has to hold. */
    all?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
    /** One of them has to hold. */
    any?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
  }
  id: string
  bookId: string
  /** The contacts that match, as counted in the background. Null until then. */
  contactCount: number | null
  /** Those of them that a campaign would mail: subscribed and not suppressed, counted at the same time. */
  eligibleCount: number | null
  /** When that was. Reading a segment counts it again after ten minutes. */
  countedAt: string | null
  createdAt: string
  updatedAt: string
}

export interface SegmentPage {
  data: Segment[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export type SegmentContactPage = ContactPage

export interface Topic {
  name: string
  description: string | null
  /** What holds for a contact that has not chosen. */
  default: "subscribed" | "unsubscribed"
  id: string
  createdAt: string
  updatedAt: string
}

export interface TopicPage {
  data: Topic[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface Campaign {
  name: string
  /** The contact book that it is sent to. */
  bookId: string
  /** A segment of the book: it goes only to contacts that match when it starts. */
  segmentId: string | null
  /** It goes only to contacts that want this topic, by choice or by the topic's default. */
  topicId: string | null
  domainId: string
  from: string
  replyTo: string | null
  /** May contain merge fields. */
  subject: string
  /** What inboxes show beside the subject; may contain merge fields. Null: the start of the first text. */
  preheader: string | null
  blocks: Block[]
  theme: Theme | null
  mergeDefaults: Record<string, string> | null
  headerLayoutId: string | null
  footerLayoutId: string | null
  /** Null: as the team's setting says. */
  trackOpens: boolean | null
  /** The same for clicks. */
  trackClicks: boolean | null
  /** Starts with 1 % and then 10 % of the book, and pauses by itself when their bounces or complaints reach an alert's rate. */
  brake: boolean
  id: string
  status: "draft" | "scheduled" | "sending" | "sent" | "cancelled"
  scheduledAt: string | null
  /** When every recipient had been queued. */
  sentAt: string | null
  /** Why it waits for a person. */
  pausedReason: string | null
  counts: {
    recipients: number
    sent: number
    delivered: number
    opened: number
    clicked: number
    replied: number
    unsubscribed: number
    bounced: number
    complained: number
    failed: number
  }
  createdAt: string
  updatedAt: string
}

export type Block =
  | CellBlock
  | {
      kind: "columns"
      layout: "1-1" | "1-1-1" | "2-1" | "1-2"
      columns: Array<CellBlock[]>
      spaceTop?: number
      spaceBottom?: number
    }

export type CellBlock =
  | {
      kind: "heading"
      level: 1 | 2 | 3
      text: string
      align?: "left" | "center" | "right"
      color?: string
      spaceTop?: number
      spaceBottom?: number
    }
  | {
      kind: "text"
      /** `<strong>`, `<em>`, `<br>`, `<a href="…">`, and lists of these in `<ul>` or `<ol>` with `<li>` only. */
      html: string
      align?: "left" | "center" | "right"
      color?: string
      spaceTop?: number
      spaceBottom?: number
    }
  | {
      kind: "button"
      label: string
      /** `http(s)` or `mailto`; merge fields may stand behind the host. Or `{{ preferencesUrl }}` alone. */
      url: string
      align?: "left" | "center" | "right"
      color?: string
      /** In percent. */
      width?: 25 | 50 | 75 | 100
      spaceTop?: number
      spaceBottom?: number
    }
  | {
      kind: "image"
      /** `http(s)` or `mailto`; merge fields may stand behind the host. Or `{{ preferencesUrl }}` alone. */
      url: string
      alt: string
      /** `http(s)` or `mailto`; merge fields may stand behind the host. Or `{{ preferencesUrl }}` alone. */
      href?: string
      align?: "left" | "center" | "right"
      /** In percent. */
      width?: 25 | 50 | 75 | 100
      spaceTop?: number
      spaceBottom?: number
    }
  | {
      kind: "divider"
      align?: "left" | "center" | "right"
      color?: string
      /** In percent. */
      width?: 25 | 50 | 75 | 100
      spaceTop?: number
      spaceBottom?: number
    }
  | {
      kind: "spacer"
      size: number
    }
  | {
      kind: "html"
      /** HTML as it is, without scripts, forms and what else mail does not show. Only from the editor and `/resend`. */
      html: string
      /** Stands in the plain-text part. Without it, the text is made from the HTML. */
      text?: string
      spaceTop?: number
      spaceBottom?: number
    }

/** Without any of its colors the campaign is dark on screens that ask for it. */
export interface Theme {
  font?: "sans" | "serif" | "mono"
  contentWidth?: 480 | 600 | 720
  pageBackground?: string
  cardBackground?: string
  textColor?: string
  linkColor?: string
  /** The language of the text, a tag of BCP 47. Without one it is guessed. */
  lang?: string
  /** The direction of the text. Without one, that of the language. */
  dir?: "ltr" | "rtl"
}

export interface CampaignPage {
  data: Campaign[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface ContactEventPage {
  data: ContactEvent[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface ContactEvent {
  id: string
  name: string
  at: string
  properties: Record<string, string | number | boolean>
}

export interface SequenceRunWithHistory extends SequenceRun {
  /** The steps that it has passed, oldest first. */
  history: Array<{
    stepKey: string
    at: string
    outcome: string
    emailId: string | null
  }>
  /** In words. */
  waitingFor: string | null
}

export interface SequenceRun {
  id: string
  sequenceId: string
  version: number
  contactId: string
  /** Null before the first step and after the last. */
  stepKey: string | null
  state: "waiting" | "held" | "done"
  endedBy:
    | "finished"
    | "goal"
    | "reply"
    | "unsubscribed"
    | "suppressed"
    | "deleted"
    | "person"
    | "archived"
    | null
  /** When it is looked at next. Null while its sequence is paused. */
  dueAt: string | null
  startedAt: string
  endedAt: string | null
}

export interface Sequence {
  name: string
  domainId: string
  from: string
  replyTo: string | null
  /** Its mail goes only to contacts that want this topic. The run of others goes on. */
  topicId: string | null
  trigger:
    | {
        on: "subscribed"
        /** Also by an import. By default `false`. */
        imports?: boolean
      }
    | {
        on: "segment"
        segmentId: string
      }
    | {
        on: "event"
        name: string
      }
    | {
        on: "call"
      }
  /** At most 100 steps in all, 5 levels deep, each with its own key. */
  steps: SequenceStep[]
  /** Whether a contact may go through it again. */
  entry: "once" | "again"
  /** A run ends when its contact matches. */
  goal: {
    /** Every one of them has to hold. */
    all?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
    /** One of them has to hold. */
    any?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
  } | null
  endOnReply: boolean
  /** Mail outside of it waits for its opening. */
  window: {
    /** By default every day of the week. */
    days?: Array<"mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun">
    from: string
    /** At or before `from`: on the next day. */
    until: string
    /** An IANA zone, or `contact`: that of the contact's property `timezone`, else UTC. */
    zone: string
  } | null
  id: string
  bookId: string
  status: "draft" | "active" | "paused" | "archived"
  /** Each change makes the next one. */
  version: number
  counts: {
    entered: number
    active: number
    finished: number
    /** Before the last step. */
    ended: number
  }
  createdAt: string
  updatedAt: string
}

export type SequenceStep =
  | {
      /** Unique in the sequence. People who wait in a step are found by it after a change. */
      key: string
      kind: "wait"
      /** `3d`, `2h`, `30m`; from 1 minute to 365 days. */
      for?: string
      /** The next such time, in the window's or the contact's zone. */
      until?: {
        /** By default every day of the week. */
        days?: Array<"mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun">
        time: string
      }
    }
  | {
      /** Unique in the sequence. People who wait in a step are found by it after a change. */
      key: string
      kind: "send"
      /** May contain merge fields. */
      subject: string
      preheader?: string | null
      blocks?: Block[]
      /** In place of blocks: a template, whose variables are fields or properties of the contact. */
      templateId?: string
    }
  | {
      /** Unique in the sequence. People who wait in a step are found by it after a change. */
      key: string
      kind: "set"
      /** At most 16 KiB as JSON. */
      properties?: Record<string, string | number | boolean>
      /** By the topic's id: true wants its mail, false does not. */
      topics?: Record<string, boolean>
    }
  | {
      /** Unique in the sequence. People who wait in a step are found by it after a change. */
      key: string
      kind: "notify"
    }
  | {
      /** Unique in the sequence. People who wait in a step are found by it after a change. */
      key: string
      kind: "end"
    }
  | {
      /** Unique in the sequence. People who wait in a step are found by it after a change. */
      key: string
      kind: "waitFor"
      event: string
      timeout: string
      /** After the event. */
      then?: SequenceStep[]
      /** After the timeout. */
      else?: SequenceStep[]
    }
  | {
      /** Unique in the sequence. People who wait in a step are found by it after a change. */
      key: string
      kind: "branch"
      /** The first that matches. */
      cases: Array<{
        /** `{all: […]}` or `{any: […]}` with conditions `{field, op, value}`, at most 20 on both levels. Text is compared without regard to case. `above` and `below` compare numbers, `before` and `after` times; a property may have its time as `2018-03-24 10:23:10 UTC`, `2018-03-24 10:23` or `24.03.2018`, too, without a zone in UTC. `isNot` includes contacts without a value. */
        filter: {
          /** Every one of them has to hold. */
          all?: Array<{
            /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
            field?: string
            /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
            op?: string
            /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
            value?: string | number | boolean
            /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
            activity?: string
            /** The activity with this campaign alone. */
            campaignId?: string
            /** In place of `field`: an event that was told of the contact, by its name. */
            event?: string
            /** The event at least this often. Events are kept for 90 days. */
            count?: number
            /** The activity or the event of the last days alone. */
            withinDays?: number
            /** `true`: contacts without the activity or the event, also those who were never mailed. */
            not?: boolean
            /** In place of a condition: a group, one level deep. */
            all?: Array<{
              /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
              field?: string
              /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
              op?: string
              /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
              value?: string | number | boolean
              /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
              activity?: string
              /** The activity with this campaign alone. */
              campaignId?: string
              /** In place of `field`: an event that was told of the contact, by its name. */
              event?: string
              /** The event at least this often. Events are kept for 90 days. */
              count?: number
              /** The activity or the event of the last days alone. */
              withinDays?: number
              /** `true`: contacts without the activity or the event, also those who were never mailed. */
              not?: boolean
            }>
            /** The same, where one condition is enough. */
            any?: Array<{
              /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
              field?: string
              /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
              op?: string
              /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
              value?: string | number | boolean
              /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
              activity?: string
              /** The activity with this campaign alone. */
              campaignId?: string
              /** In place of `field`: an event that was told of the contact, by its name. */
              event?: string
              /** The event at least this often. Events are kept for 90 days. */
              count?: number
              /** The activity or the event of the last days alone. */
              withinDays?: number
              /** `true`: contacts without the activity or the event, also those who were never mailed. */
              not?: boolean
            }>
          }>
          /** One of them has to hold. */
          any?: Array<{
            /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
            field?: string
            /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
            op?: string
            /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
            value?: string | number | boolean
            /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
            activity?: string
            /** The activity with this campaign alone. */
            campaignId?: string
            /** In place of `field`: an event that was told of the contact, by its name. */
            event?: string
            /** The event at least this often. Events are kept for 90 days. */
            count?: number
            /** The activity or the event of the last days alone. */
            withinDays?: number
            /** `true`: contacts without the activity or the event, also those who were never mailed. */
            not?: boolean
            /** In place of a condition: a group, one level deep. */
            all?: Array<{
              /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
              field?: string
              /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
              op?: string
              /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
              value?: string | number | boolean
              /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
              activity?: string
              /** The activity with this campaign alone. */
              campaignId?: string
              /** In place of `field`: an event that was told of the contact, by its name. */
              event?: string
              /** The event at least this often. Events are kept for 90 days. */
              count?: number
              /** The activity or the event of the last days alone. */
              withinDays?: number
              /** `true`: contacts without the activity or the event, also those who were never mailed. */
              not?: boolean
            }>
            /** The same, where one condition is enough. */
            any?: Array<{
              /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
              field?: string
              /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
              op?: string
              /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
              value?: string | number | boolean
              /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
              activity?: string
              /** The activity with this campaign alone. */
              campaignId?: string
              /** In place of `field`: an event that was told of the contact, by its name. */
              event?: string
              /** The event at least this often. Events are kept for 90 days. */
              count?: number
              /** The activity or the event of the last days alone. */
              withinDays?: number
              /** `true`: contacts without the activity or the event, also those who were never mailed. */
              not?: boolean
            }>
          }>
        }
        steps: SequenceStep[]
      }>
      else?: SequenceStep[]
    }
  | {
      /** Unique in the sequence. People who wait in a step are found by it after a change. */
      key: string
      kind: "split"
      /** A contact always gets the same part. */
      parts: Array<{
        weight: number
        steps: SequenceStep[]
      }>
    }

export interface SequencePage {
  data: Sequence[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface SequenceRunPage {
  data: SequenceRun[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
  /** The page has looked back to this time. Absent if it has looked at everything. */
  searchedUntil?: string
}

export interface Suppression {
  id: string
  email: string
  reason: "manual" | "unsubscribe" | "bounce" | "complaint"
  note: string | null
  /** The email whose bounce or complaint it was. */
  sourceEmailId: string | null
  createdAt: string
}

export interface SuppressionPage {
  data: Suppression[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface DeliveryWithAttempts {
  id: string
  webhookId: string
  eventId: string
  eventType:
    | "email.sent"
    | "email.delivered"
    | "email.delayed"
    | "email.bounced"
    | "email.complained"
    | "email.opened"
    | "email.clicked"
    | "email.failed"
    | "domain.verified"
    | "domain.failed"
    | "contact.created"
    | "contact.updated"
    | "contact.unsubscribed"
    | "contact.resubscribed"
    | "contact.pending"
    | "contact.confirmed"
    | "campaign.sent"
    | "campaign.completed"
    | "email.received"
    | "email.replied"
    | "sequence.started"
    | "sequence.finished"
    | "sequence.reached"
    | "sequence.held"
  state: "pending" | "succeeded" | "exhausted" | "failed"
  attemptCount: number
  nextAttemptAt: string | null
  createdAt: string
  completedAt: string | null
  payload: {
    type: string
    data: Record<string, unknown>
  }
  attempts: Array<{
    number: number
    startedAt: string
    durationMs: number
    statusCode: number | null
    /** Why there is no status code. */
    error: string | null
    /** The first 500 bytes of the answer. */
    responseExcerpt: string | null
  }>
}

export interface EventPage {
  data: Array<{
    sequence: number
    id: string
    type:
      | "email.sent"
      | "email.delivered"
      | "email.delayed"
      | "email.bounced"
      | "email.complained"
      | "email.opened"
      | "email.clicked"
      | "email.failed"
      | "domain.verified"
      | "domain.failed"
      | "contact.created"
      | "contact.updated"
      | "contact.unsubscribed"
      | "contact.resubscribed"
      | "contact.pending"
      | "contact.confirmed"
      | "campaign.sent"
      | "campaign.completed"
      | "email.received"
      | "email.replied"
      | "sequence.started"
      | "sequence.finished"
      | "sequence.reached"
      | "sequence.held"
    createdAt: string
    /** What it is about: see webhook events. */
    data: Record<string, unknown>
  }>
  nextAfter: number
  /** `after` is above every number, as after a restore of the database: begin anew. */
  reset?: true
}

export interface WebhookPage {
  data: Webhook[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface Webhook {
  id: string
  name: string | null
  url: string
  events: Array<
    | "email.sent"
    | "email.delivered"
    | "email.delayed"
    | "email.bounced"
    | "email.complained"
    | "email.opened"
    | "email.clicked"
    | "email.failed"
    | "domain.verified"
    | "domain.failed"
    | "contact.created"
    | "contact.updated"
    | "contact.unsubscribed"
    | "contact.resubscribed"
    | "contact.pending"
    | "contact.confirmed"
    | "campaign.sent"
    | "campaign.completed"
    | "email.received"
    | "email.replied"
    | "sequence.started"
    | "sequence.finished"
    | "sequence.reached"
    | "sequence.held"
  >
  /** `resend`: bodies and types as Resend sends them, with `svix-*` headers beside ours, so that a receiver that was written for Resend goes on as it is. */
  format: "edgepost" | "resend"
  enabled: boolean
  /** The first failure since the last success. */
  failingSince: string | null
  /** Set when the service disabled it. */
  disabledReason: string | null
  createdAt: string
  updatedAt: string
}

export interface ListedDeliveryPage {
  data: ListedDelivery[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
  /** The page has looked back to this time. Absent if it has looked at everything. */
  searchedUntil?: string
}

export interface ListedDelivery {
  id: string
  webhookId: string
  eventId: string
  eventType:
    | "email.sent"
    | "email.delivered"
    | "email.delayed"
    | "email.bounced"
    | "email.complained"
    | "email.opened"
    | "email.clicked"
    | "email.failed"
    | "domain.verified"
    | "domain.failed"
    | "contact.created"
    | "contact.updated"
    | "contact.unsubscribed"
    | "contact.resubscribed"
    | "contact.pending"
    | "contact.confirmed"
    | "campaign.sent"
    | "campaign.completed"
    | "email.received"
    | "email.replied"
    | "sequence.started"
    | "sequence.finished"
    | "sequence.reached"
    | "sequence.held"
  state: "pending" | "succeeded" | "exhausted" | "failed"
  attemptCount: number
  nextAttemptAt: string | null
  createdAt: string
  completedAt: string | null
  /** The address, domain, campaign or sequence of the event. Null: a test. */
  about: string | null
}

export interface Stats {
  /** What the provider accepted in the last 24 hours, to the quarter of an hour, and in the last 7 and 30 UTC days. */
  sent: {
    today: number
    d7: number
    d30: number
  }
  /** Shares of what was sent in 30 days. */
  rates: {
    delivered: number
    bounced: number
    complained: number
    opened: number
    clicked: number
  }
  /** 30 UTC days, oldest first. */
  series: Array<{
    date: string
    sent: number
    delivered: number
    bounced: number
    complained: number
    opened: number
    clicked: number
  }>
  /** Over the last 24 hours, from 20 sends on. */
  alerts: Array<{
    kind: "bounce" | "complaint"
    level: "warning" | "critical"
    rate: number
    window: "24h"
  }>
}

export interface StatsSeries {
  data: Array<{
    at: string
    sent: number
    delivered: number
    bounced: {
      hard: number
      soft: number
    }
    complained: number
    failed: number
    opened: number
    clicked: number
    delayed: number
  }>
  totals: {
    sent: number
    delivered: number
    bounced: {
      hard: number
      soft: number
    }
    complained: number
    failed: number
    opened: number
    clicked: number
    delayed: number
  }
  /** With `tag`: some emails with the tag could not be counted. */
  incomplete?: true
}

export interface SandboxMessagePage {
  data: SandboxMessage[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
  /** The page has looked back to this time. Absent if it has looked at everything. */
  searchedUntil?: string
}

export interface SandboxMessage {
  emailId: string
  envelope: {
    from: string
    to: string[]
  }
  /** Lower-case name to value, or to a list of values where it is repeated. */
  headers: Record<string, string | string[]>
  subject: string
  html: string | null
  text: string | null
  /** The URLs of the message, in order, each once: of its first 10,000 links and images, and of as many in the text. */
  links: string[]
  attachments: Array<{
    filename: string | null
    contentType: string
    size: number
    contentId: string | null
  }>
  /** The message as it was handed over. */
  raw: string
  createdAt: string
}

export interface Inbox {
  name: string | null
  /** Days after which the inbox's mail is deleted. */
  retentionDays: number
  id: string
  address: string
  domainId: string
  /** While its domain has the mode `forward`: what is forwarded to this address arrives in the inbox. */
  forwardingAddress: string | null
  createdAt: string
}

export interface InboxPage {
  data: Inbox[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface ReceivedEmailPage {
  data: ReceivedEmail[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
  /** The page has looked back to this time. Absent if it has looked at everything. */
  searchedUntil?: string
}

export interface ReceivedEmail {
  id: string
  inboxId: string
  threadId: string | null
  kind: "message" | "autoReply" | "bounce" | "complaint" | "unsubscribe"
  from: {
    email: string
    name: string | null
  }
  to: Array<{
    email: string
    name: string | null
  }>
  cc: Array<{
    email: string
    name: string | null
  }>
  replyTo: Array<{
    email: string
    name: string | null
  }>
  envelope: {
    from: string
    to: string
  }
  subject: string
  messageId: string | null
  inReplyTo: string | null
  references: string[]
  attachments: Array<{
    id: string
    filename: string | null
    contentType: string
    size: number
    contentId: string | null
  }>
  /** Who sent it, by our own check of its DKIM signatures: `verified` if one holds for the domain of `from`. No header is believed. */
  sender: {
    state: "verified" | "unverified" | "failed"
    /** The domain whose signature holds. */
    domain: string | null
    dkim: Array<{
      domain: string
      result: string
    }>
  }
  /** The sent email that it answers. */
  answersEmailId: string | null
  /** Null until it was worked off, within seconds. False if it cannot be read: `raw` has it. */
  parsed: boolean | null
  /** The bytes of the whole message. */
  size: number
  read: boolean
  createdAt: string
}

export interface ReceivedEmailWithTexts extends ReceivedEmail {
  text: string | null
  /** As the sender wrote it: never show it unguarded. */
  html: string | null
  /** The text without quotation and signature; all of it if nothing else is left. */
  replyText: string | null
  headers: Array<{
    name: string
    value: string
  }>
}

export interface ThreadPage {
  data: Thread[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
  /** The page has looked back to this time. Absent if it has looked at everything. */
  searchedUntil?: string
}

export interface Thread {
  id: string
  inboxId: string
  subject: string
  participants: Array<{
    email: string
    name: string | null
  }>
  messageCount: number
  /** A new message opens a thread that was `done`. */
  state: "open" | "done" | "spam"
  lastMessageAt: string
  createdAt: string
}

export interface ThreadMessagePage {
  data: ThreadMessage[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface ThreadMessage {
  kind: "email" | "received"
  email?: Email
  received?: ReceivedEmail
}

export interface Form {
  name: string
  topicIds: string[]
  fields: Array<{
    name: string
    label: string
    /** By default `false`. */
    required?: boolean
    /** By default `"text"`. */
    type?: "text" | "email" | "select" | "checkbox"
    options?: string[]
  }>
  /** What people agree to. Each confirmation keeps the wording that was shown. */
  wording: string
  /** `false` subscribes at once, but never an address that has said no: that one is asked. */
  confirm: boolean
  /** The mail that asks. `{{ confirmUrl }}` is its link; a button is added where it is missing. Null: a mail of ours. Merge fields but `email` are empty, since anybody can write in a form. */
  confirmation: {
    subject: string
    blocks: ConfirmationBlock[]
  } | null
  /** Where a browser goes after the form was sent. */
  doneUrl: string | null
  /** Where a browser goes after the confirmation. */
  confirmedUrl: string | null
  /** The sites whose scripts may send the form, by CORS. A plain HTML form needs none. */
  origins: string[]
  enabled: boolean
  id: string
  bookId: string
  /** A Turnstile secret is set. */
  hasTurnstile: boolean
  counts: {
    /** People who were asked to confirm, or subscribed at once. */
    asked: number
    confirmed: number
    /** From the question to the confirmation, of the newest 101 confirmations. */
    medianSeconds: number | null
  }
  createdAt: string
  updatedAt: string
}

export type ConfirmationBlock =
  | CellConfirmationBlock
  | {
      kind: "columns"
      layout: "1-1" | "1-1-1" | "2-1" | "1-2"
      columns: Array<CellConfirmationBlock[]>
      spaceTop?: number
      spaceBottom?: number
    }

export type CellConfirmationBlock =
  | {
      kind: "heading"
      level: 1 | 2 | 3
      text: string
      align?: "left" | "center" | "right"
      color?: string
      spaceTop?: number
      spaceBottom?: number
    }
  | {
      kind: "text"
      /** `<strong>`, `<em>`, `<br>`, `<a href="…">`, and lists of these in `<ul>` or `<ol>` with `<li>` only. */
      html: string
      align?: "left" | "center" | "right"
      color?: string
      spaceTop?: number
      spaceBottom?: number
    }
  | {
      kind: "button"
      label: string
      /** `http(s)` or `mailto`, or `{{ confirmUrl }}` alone. */
      url: string
      align?: "left" | "center" | "right"
      color?: string
      /** In percent. */
      width?: 25 | 50 | 75 | 100
      spaceTop?: number
      spaceBottom?: number
    }
  | {
      kind: "image"
      /** `http(s)` or `mailto`, or `{{ confirmUrl }}` alone. */
      url: string
      alt: string
      /** `http(s)` or `mailto`, or `{{ confirmUrl }}` alone. */
      href?: string
      align?: "left" | "center" | "right"
      /** In percent. */
      width?: 25 | 50 | 75 | 100
      spaceTop?: number
      spaceBottom?: number
    }
  | {
      kind: "divider"
      align?: "left" | "center" | "right"
      color?: string
      /** In percent. */
      width?: 25 | 50 | 75 | 100
      spaceTop?: number
      spaceBottom?: number
    }
  | {
      kind: "spacer"
      size: number
    }
  | {
      kind: "html"
      /** HTML as it is, without scripts, forms and what else mail does not show. Only from the editor and `/resend`. */
      html: string
      /** Stands in the plain-text part. Without it, the text is made from the HTML. */
      text?: string
      spaceTop?: number
      spaceBottom?: number
    }

export interface FormPage {
  data: Form[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

export interface EmailSentEvent {
  id: string
  type: "email.sent"
  createdAt: string
  data: {
    email: Email
    event: {
      type: "sent"
      occurredAt: string
      bounceType?: "Permanent" | "Transient" | "Undetermined"
      bounceSubType?: string
      /** The receiving server's words, cut to 1000 characters. */
      diagnosticCode?: string
      complaintFeedbackType?: string
      recipients?: string[]
      url?: string
      userAgent?: string
      ip?: string
      /** What the provider gave as the reason, cut to 1000 characters. With `sent`, how a lost answer was settled: `settled_by_provider_event`, `settled_by_open_or_click` or `sent_again_without_answer`; or which headers the provider did not take. */
      reason?: string
      /** With `replied`: the received email that answers. */
      receivedId?: string
      /** With `sent`: why clicks are not tracked. See tracking. */
      untracked?: "too_many_links" | "signed_or_encrypted" | "unreadable"
    }
  }
}

export interface EmailDeliveredEvent {
  id: string
  type: "email.delivered"
  createdAt: string
  data:
    | {
        email: Email
        event: {
          type: "delivered"
          occurredAt: string
          bounceType?: "Permanent" | "Transient" | "Undetermined"
          bounceSubType?: string
          /** The receiving server's words, cut to 1000 characters. */
          diagnosticCode?: string
          complaintFeedbackType?: string
          recipients?: string[]
          url?: string
          userAgent?: string
          ip?: string
          /** What the provider gave as the reason, cut to 1000 characters. With `sent`, how a lost answer was settled: `settled_by_provider_event`, `settled_by_open_or_click` or `sent_again_without_answer`; or which headers the provider did not take. */
          reason?: string
          /** With `replied`: the received email that answers. */
          receivedId?: string
          /** With `sent`: why clicks are not tracked. See tracking. */
          untracked?: "too_many_links" | "signed_or_encrypted" | "unreadable"
        }
      }
    | {
        test: true
      }
}

export interface EmailDelayedEvent {
  id: string
  type: "email.delayed"
  createdAt: string
  data: {
    email: Email
    event: {
      type: "delayed"
      occurredAt: string
      bounceType?: "Permanent" | "Transient" | "Undetermined"
      bounceSubType?: string
      /** The receiving server's words, cut to 1000 characters. */
      diagnosticCode?: string
      complaintFeedbackType?: string
      recipients?: string[]
      url?: string
      userAgent?: string
      ip?: string
      /** What the provider gave as the reason, cut to 1000 characters. With `sent`, how a lost answer was settled: `settled_by_provider_event`, `settled_by_open_or_click` or `sent_again_without_answer`; or which headers the provider did not take. */
      reason?: string
      /** With `replied`: the received email that answers. */
      receivedId?: string
      /** With `sent`: why clicks are not tracked. See tracking. */
      untracked?: "too_many_links" | "signed_or_encrypted" | "unreadable"
    }
  }
}

export interface EmailBouncedEvent {
  id: string
  type: "email.bounced"
  createdAt: string
  data: {
    email: Email
    event: {
      type: "bounced"
      occurredAt: string
      bounceType?: "Permanent" | "Transient" | "Undetermined"
      bounceSubType?: string
      /** The receiving server's words, cut to 1000 characters. */
      diagnosticCode?: string
      complaintFeedbackType?: string
      recipients?: string[]
      url?: string
      userAgent?: string
      ip?: string
      /** What the provider gave as the reason, cut to 1000 characters. With `sent`, how a lost answer was settled: `settled_by_provider_event`, `settled_by_open_or_click` or `sent_again_without_answer`; or which headers the provider did not take. */
      reason?: string
      /** With `replied`: the received email that answers. */
      receivedId?: string
      /** With `sent`: why clicks are not tracked. See tracking. */
      untracked?: "too_many_links" | "signed_or_encrypted" | "unreadable"
    }
  }
}

export interface EmailComplainedEvent {
  id: string
  type: "email.complained"
  createdAt: string
  data: {
    email: Email
    event: {
      type: "complained"
      occurredAt: string
      bounceType?: "Permanent" | "Transient" | "Undetermined"
      bounceSubType?: string
      /** The receiving server's words, cut to 1000 characters. */
      diagnosticCode?: string
      complaintFeedbackType?: string
      recipients?: string[]
      url?: string
      userAgent?: string
      ip?: string
      /** What the provider gave as the reason, cut to 1000 characters. With `sent`, how a lost answer was settled: `settled_by_provider_event`, `settled_by_open_or_click` or `sent_again_without_answer`; or which headers the provider did not take. */
      reason?: string
      /** With `replied`: the received email that answers. */
      receivedId?: string
      /** With `sent`: why clicks are not tracked. See tracking. */
      untracked?: "too_many_links" | "signed_or_encrypted" | "unreadable"
    }
  }
}

export interface EmailOpenedEvent {
  id: string
  type: "email.opened"
  createdAt: string
  data: {
    email: Email
    event: {
      type: "opened"
      occurredAt: string
      bounceType?: "Permanent" | "Transient" | "Undetermined"
      bounceSubType?: string
      /** The receiving server's words, cut to 1000 characters. */
      diagnosticCode?: string
      complaintFeedbackType?: string
      recipients?: string[]
      url?: string
      userAgent?: string
      ip?: string
      /** What the provider gave as the reason, cut to 1000 characters. With `sent`, how a lost answer was settled: `settled_by_provider_event`, `settled_by_open_or_click` or `sent_again_without_answer`; or which headers the provider did not take. */
      reason?: string
      /** With `replied`: the received email that answers. */
      receivedId?: string
      /** With `sent`: why clicks are not tracked. See tracking. */
      untracked?: "too_many_links" | "signed_or_encrypted" | "unreadable"
    }
  }
}

export interface EmailClickedEvent {
  id: string
  type: "email.clicked"
  createdAt: string
  data: {
    email: Email
    event: {
      type: "clicked"
      occurredAt: string
      bounceType?: "Permanent" | "Transient" | "Undetermined"
      bounceSubType?: string
      /** The receiving server's words, cut to 1000 characters. */
      diagnosticCode?: string
      complaintFeedbackType?: string
      recipients?: string[]
      url?: string
      userAgent?: string
      ip?: string
      /** What the provider gave as the reason, cut to 1000 characters. With `sent`, how a lost answer was settled: `settled_by_provider_event`, `settled_by_open_or_click` or `sent_again_without_answer`; or which headers the provider did not take. */
      reason?: string
      /** With `replied`: the received email that answers. */
      receivedId?: string
      /** With `sent`: why clicks are not tracked. See tracking. */
      untracked?: "too_many_links" | "signed_or_encrypted" | "unreadable"
    }
  }
}

export interface EmailFailedEvent {
  id: string
  type: "email.failed"
  createdAt: string
  data: {
    email: Email
    event: {
      type: "failed"
      occurredAt: string
      bounceType?: "Permanent" | "Transient" | "Undetermined"
      bounceSubType?: string
      /** The receiving server's words, cut to 1000 characters. */
      diagnosticCode?: string
      complaintFeedbackType?: string
      recipients?: string[]
      url?: string
      userAgent?: string
      ip?: string
      /** What the provider gave as the reason, cut to 1000 characters. With `sent`, how a lost answer was settled: `settled_by_provider_event`, `settled_by_open_or_click` or `sent_again_without_answer`; or which headers the provider did not take. */
      reason?: string
      /** With `replied`: the received email that answers. */
      receivedId?: string
      /** With `sent`: why clicks are not tracked. See tracking. */
      untracked?: "too_many_links" | "signed_or_encrypted" | "unreadable"
    }
  }
}

export interface DomainVerifiedEvent {
  id: string
  type: "domain.verified"
  createdAt: string
  data: {
    domain: Domain
  }
}

export interface DomainFailedEvent {
  id: string
  type: "domain.failed"
  createdAt: string
  data: {
    domain: Domain
  }
}

export interface ContactCreatedEvent {
  id: string
  type: "contact.created"
  createdAt: string
  data: {
    contact: Contact
  }
}

export interface ContactUpdatedEvent {
  id: string
  type: "contact.updated"
  createdAt: string
  data: {
    contact: Contact
  }
}

export interface ContactUnsubscribedEvent {
  id: string
  type: "contact.unsubscribed"
  createdAt: string
  data: {
    contact: Contact
  }
}

export interface ContactResubscribedEvent {
  id: string
  type: "contact.resubscribed"
  createdAt: string
  data: {
    contact: Contact
  }
}

export interface ContactPendingEvent {
  id: string
  type: "contact.pending"
  createdAt: string
  data: {
    contact: Contact
  }
}

export interface ContactConfirmedEvent {
  id: string
  type: "contact.confirmed"
  createdAt: string
  data: {
    contact: Contact
  }
}

export interface CampaignSentEvent {
  id: string
  type: "campaign.sent"
  createdAt: string
  data: {
    campaign: Campaign
  }
}

export interface CampaignCompletedEvent {
  id: string
  type: "campaign.completed"
  createdAt: string
  data: {
    campaign: Campaign
  }
}

export interface EmailReceivedEvent {
  id: string
  type: "email.received"
  createdAt: string
  data: {
    received: {
      id: string
      inboxId: string
      threadId: string | null
      kind: "message" | "autoReply" | "bounce" | "complaint" | "unsubscribe"
      from: {
        email: string
        name: string | null
      }
      to: Array<{
        email: string
        name: string | null
      }>
      cc: Array<{
        email: string
        name: string | null
      }>
      replyTo: Array<{
        email: string
        name: string | null
      }>
      envelope: {
        from: string
        to: string
      }
      subject: string
      messageId: string | null
      inReplyTo: string | null
      references: string[]
      attachments: Array<{
        id: string
        filename: string | null
        contentType: string
        size: number
        contentId: string | null
      }>
      /** Who sent it, by our own check of its DKIM signatures: `verified` if one holds for the domain of `from`. No header is believed. */
      sender: {
        state: "verified" | "unverified" | "failed"
        /** The domain whose signature holds. */
        domain: string | null
        dkim: Array<{
          domain: string
          result: string
        }>
      }
      /** The sent email that it answers. */
      answersEmailId: string | null
      /** Null until it was worked off, within seconds. False if it cannot be read: `raw` has it. */
      parsed: boolean | null
      /** The bytes of the whole message. */
      size: number
      read: boolean
      createdAt: string
      text: string | null
      /** As the sender wrote it: never show it unguarded. */
      html: string | null
      /** The text without quotation and signature; all of it if nothing else is left. */
      replyText: string | null
      truncated?: true
    }
  }
}

export interface EmailRepliedEvent {
  id: string
  type: "email.replied"
  createdAt: string
  data: {
    email: Email
    event: {
      type: "replied"
      occurredAt: string
      bounceType?: "Permanent" | "Transient" | "Undetermined"
      bounceSubType?: string
      /** The receiving server's words, cut to 1000 characters. */
      diagnosticCode?: string
      complaintFeedbackType?: string
      recipients?: string[]
      url?: string
      userAgent?: string
      ip?: string
      /** What the provider gave as the reason, cut to 1000 characters. With `sent`, how a lost answer was settled: `settled_by_provider_event`, `settled_by_open_or_click` or `sent_again_without_answer`; or which headers the provider did not take. */
      reason?: string
      /** With `replied`: the received email that answers. */
      receivedId?: string
      /** With `sent`: why clicks are not tracked. See tracking. */
      untracked?: "too_many_links" | "signed_or_encrypted" | "unreadable"
    }
  }
}

export interface SequenceStartedEvent {
  id: string
  type: "sequence.started"
  createdAt: string
  data: {
    sequence: SequenceWithoutSteps
    run: SequenceRun
    stepKey: string | null
  }
}

export interface SequenceWithoutSteps {
  name: string
  domainId: string
  from: string
  replyTo: string | null
  /** Its mail goes only to contacts that want this topic. The run of others goes on. */
  topicId: string | null
  trigger:
    | {
        on: "subscribed"
        /** Also by an import. By default `false`. */
        imports?: boolean
      }
    | {
        on: "segment"
        segmentId: string
      }
    | {
        on: "event"
        name: string
      }
    | {
        on: "call"
      }
  /** Whether a contact may go through it again. */
  entry: "once" | "again"
  /** A run ends when its contact matches. */
  goal: {
    /** Every one of them has to hold. */
    all?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
    /** One of them has to hold. */
    any?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
  } | null
  endOnReply: boolean
  /** Mail outside of it waits for its opening. */
  window: {
    /** By default every day of the week. */
    days?: Array<"mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun">
    from: string
    /** At or before `from`: on the next day. */
    until: string
    /** An IANA zone, or `contact`: that of the contact's property `timezone`, else UTC. */
    zone: string
  } | null
  id: string
  bookId: string
  status: "draft" | "active" | "paused" | "archived"
  /** Each change makes the next one. */
  version: number
  counts: {
    entered: number
    active: number
    finished: number
    /** Before the last step. */
    ended: number
  }
  createdAt: string
  updatedAt: string
}

export interface SequenceFinishedEvent {
  id: string
  type: "sequence.finished"
  createdAt: string
  data: {
    sequence: SequenceWithoutSteps
    run: SequenceRun
    stepKey: string | null
  }
}

export interface SequenceReachedEvent {
  id: string
  type: "sequence.reached"
  createdAt: string
  data: {
    sequence: SequenceWithoutSteps
    run: SequenceRun
    stepKey: string | null
  }
}

export interface SequenceHeldEvent {
  id: string
  type: "sequence.held"
  createdAt: string
  data: {
    sequence: SequenceWithoutSteps
    run: SequenceRun
    stepKey: string | null
  }
}

export interface ErrorBody {
  error: {
    code:
      | "validation_error"
      | "unauthorized"
      | "forbidden"
      | "not_found"
      | "method_not_allowed"
      | "conflict"
      | "idempotency_conflict"
      | "payload_too_large"
      | "domain_not_verified"
      | "suppressed_recipient"
      | "rate_limited"
      | "internal_error"
      | "not_configured"
      | "unavailable"
    message: string
    details?: unknown
  }
}

/** What a webhook's request tells. A test tells `{ test: true }` alone. */
export type WebhookEvent =
  | EmailSentEvent
  | EmailDeliveredEvent
  | EmailDelayedEvent
  | EmailBouncedEvent
  | EmailComplainedEvent
  | EmailOpenedEvent
  | EmailClickedEvent
  | EmailFailedEvent
  | DomainVerifiedEvent
  | DomainFailedEvent
  | ContactCreatedEvent
  | ContactUpdatedEvent
  | ContactUnsubscribedEvent
  | ContactResubscribedEvent
  | ContactPendingEvent
  | ContactConfirmedEvent
  | CampaignSentEvent
  | CampaignCompletedEvent
  | EmailReceivedEvent
  | EmailRepliedEvent
  | SequenceStartedEvent
  | SequenceFinishedEvent
  | SequenceReachedEvent
  | SequenceHeldEvent

export interface Me {
  team: {
    id: string
    name: string
  }
  key: {
    id: string
    name: string
    permission: "full" | "sending_only"
    /** The first 16 characters of the secret. */
    keyPrefix: string
    /** When set, the only domain the key may send from. */
    domainId: string | null
  }
}

export interface ListEmailsQuery {
  /** By default `25`. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
  /** May be repeated: one of them. */
  status?:
    | "queued"
    | "scheduled"
    | "sending"
    | "sent"
    | "delivered"
    | "bounced"
    | "failed"
    | "cancelled"
    | "complained"
    | Array<
        | "queued"
        | "scheduled"
        | "sending"
        | "sent"
        | "delivered"
        | "bounced"
        | "failed"
        | "cancelled"
        | "complained"
      >
  /** Among to, cc and bcc, whatever the case: an address, the start of one, or `@domain` for all addresses of that domain. */
  to?: string
  /** The sender, whatever the case: an address, or `@domain` for all addresses of that domain. */
  from?: string
  domainId?: string
  /** `key:value`, or `key` for any value. May be repeated: all of them. */
  tag?: string | string[]
  campaignId?: string
  sequenceId?: string
  templateId?: string
  /** The API key that sent it. */
  keyId?: string
  /** Up to 20 words of letters and digits, each from its start, in any order, whatever the case. */
  subject?: string
  /** Up to 20 words of the recipients' addresses and names and of the subject, each from its start, in any order, whatever the case. An address has its words between the marks `. + - _ @`. */
  q?: string
  opened?: boolean
  clicked?: boolean
  /** Created at this time or later. */
  since?: string | Date
  /** Created before this time. */
  until?: string | Date
}

export interface SendRawQuery {
  /** Who gets the message, whatever its header says: an address, up to 50 times. Those that the header does not name are bcc. */
  to?: string | string[]
  trackOpens?: boolean
  trackClicks?: boolean
  /** `skip`: the email goes to the other recipients, and its timeline names the skipped ones. With nobody left it is accepted and `cancelled`. Default `refuse`: one suppressed recipient refuses the email. */
  onSuppressed?: "refuse" | "skip"
  /** In the future, up to one year ahead. */
  scheduledAt?: string | Date
  /** `key:value`, up to 20 times. */
  tag?: string | string[]
}

export interface CreateApiKeyInput {
  name: string
  /** By default `"full"`. */
  permission?: "full" | "sending_only"
  /** The only domain that the new key may send from. A key of one domain makes keys of that domain only, also without this. */
  domainId?: string | null
}

export interface CreateWebhookInput {
  /** What people call it, to tell webhooks of one host apart. */
  name?: string | null
  url: string
  events: Array<
    | "email.sent"
    | "email.delivered"
    | "email.delayed"
    | "email.bounced"
    | "email.complained"
    | "email.opened"
    | "email.clicked"
    | "email.failed"
    | "domain.verified"
    | "domain.failed"
    | "contact.created"
    | "contact.updated"
    | "contact.unsubscribed"
    | "contact.resubscribed"
    | "contact.pending"
    | "contact.confirmed"
    | "campaign.sent"
    | "campaign.completed"
    | "email.received"
    | "email.replied"
    | "sequence.started"
    | "sequence.finished"
    | "sequence.reached"
    | "sequence.held"
  >
  /** `resend`: bodies and types as Resend sends them, with `svix-*` headers beside ours, so that a receiver that was written for Resend goes on as it is. By default `"edgepost"`. */
  format?: "edgepost" | "resend"
}

export interface UpdateWebhookInput {
  /** What people call it, to tell webhooks of one host apart. */
  name?: string | null
  url?: string
  events?: Array<
    | "email.sent"
    | "email.delivered"
    | "email.delayed"
    | "email.bounced"
    | "email.complained"
    | "email.opened"
    | "email.clicked"
    | "email.failed"
    | "domain.verified"
    | "domain.failed"
    | "contact.created"
    | "contact.updated"
    | "contact.unsubscribed"
    | "contact.resubscribed"
    | "contact.pending"
    | "contact.confirmed"
    | "campaign.sent"
    | "campaign.completed"
    | "email.received"
    | "email.replied"
    | "sequence.started"
    | "sequence.finished"
    | "sequence.reached"
    | "sequence.held"
  >
  /** `resend`: bodies and types as Resend sends them, with `svix-*` headers beside ours, so that a receiver that was written for Resend goes on as it is. */
  format?: "edgepost" | "resend"
  enabled?: boolean
}

export interface ListWebhookDeliveriesQuery {
  /** By default `25`. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
  /** `failed` also finds those given up, which are `exhausted`. */
  state?: "pending" | "succeeded" | "exhausted" | "failed"
}

export interface RefusedCallsQuery {
  /** By default `25`. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
  keyId?: string
  code?: string
}

export interface StatsSeriesQuery {
  /** By default the UTC midnight 30 days before `until`; with the step `hour` 24 hours before it. */
  since?: string | Date
  /** By default now. */
  until?: string | Date
  /** `hour` for at most 7 days, the default below 3 days; `day` for at most 400 days. */
  step?: "hour" | "day"
  domainId?: string
  /** `key:value`. */
  tag?: string
  templateId?: string
  campaignId?: string
}

export interface ListEventsQuery {
  /** By default `0`. */
  after?: number
  /** By default `25`. */
  limit?: number
}

export interface BackfillInput {
  /** A sequence; 0 for everything kept. */
  after: number
}

export interface Backfill {
  queued: number
  nextAfter: number | null
}

export interface AddSuppressionInput {
  email: string
  /** By default `"manual"`. */
  reason?: "manual" | "unsubscribe"
  note?: string | null
}

export interface ImportSuppressionsInput {
  /** The whole file, in UTF-8. */
  csv: string
  /** Of rows in which the file has none that is known. By default `"manual"`. */
  reason?: "manual" | "unsubscribe" | "bounce" | "complaint"
}

export interface SuppressionImportReport {
  added: number
  existing: number
  /** The first 100 rows without an address. */
  errors: Array<{
    line: number
    email: string | null
    message: string
  }>
}

export interface CreateTemplateInput {
  name: string
  /** May contain `{{ name }}`. */
  subject: string
  /** May contain `{{ name }}`; values are HTML-escaped. */
  bodyHtml: string
  /** May contain `{{ name }}`; values stand as they are. */
  bodyText?: string | null
  /** By default `{"variables":[]}`. */
  variablesSchema?: VariablesSchema
  slug: string
}

export interface UpdateTemplateInput {
  name?: string
  /** May contain `{{ name }}`. */
  subject?: string
  /** May contain `{{ name }}`; values are HTML-escaped. */
  bodyHtml?: string
  /** May contain `{{ name }}`; values stand as they are. */
  bodyText?: string | null
  variablesSchema?: VariablesSchema
}

export interface RenderedTemplate {
  subject: string
  html: string
  text: string | null
}

export interface CreateContactBookInput {
  name: string
  defaultFrom?: string | null
}

export interface UpdateContactBookInput {
  name?: string
  defaultFrom?: string | null
}

export interface ImportContactsInput {
  /** The whole file, in UTF-8. */
  csv: string
  /** `false` leaves contacts that are in the book already, and counts them as skipped. By default `true`. */
  updateExisting?: boolean
  /** What columns mean, by their names, whatever the case. */
  columns?: Record<
    string,
    | "email"
    | "firstName"
    | "lastName"
    | "subscribed"
    | "unsubscribed"
    | "property"
    | "skip"
    | Record<string, "subscribed" | "unsubscribed" | "bounced" | "complained" | "skip">
  >
  /** `false`: nobody in the file wants mail. Contacts of the book lose their consent. By default `true`. */
  subscribed?: boolean
  /** `true` stores nothing: the reply says what the same import would do now. By default `false`. */
  dryRun?: boolean
}

export interface ImportReport {
  imported: number
  updated: number
  skipped: number
  /** Rows that a later row with the same address replaced. */
  duplicates: number
  /** The first 100 rows that were left out, or whose address says both yes and no. */
  errors: Array<{
    line: number
    email: string | null
    message: string
  }>
  /** Addresses of bounces and complaints, with `columns` that name them. */
  suppressed?: number
  /** Columns that may say who wants mail, where `columns` does not say what they mean. */
  warnings?: Array<{
    column: string
    message: string
    /** The distinct values and what they were taken for; null is no yes. `*`: all that are not named. */
    values: Array<{
      value: string
      count: number
      meaning: "subscribed" | "unsubscribed" | "bounced" | "complained" | "skip" | null
    }>
  }>
  /** With `dryRun`: the new contacts that would be subscribed. */
  subscribed?: number
}

export interface CreateContactInput {
  email: string
  firstName?: string | null
  lastName?: string | null
  /** At most 16 KiB as JSON. */
  properties?: Record<string, string | number | boolean>
  /** By default `true`. */
  subscribed?: boolean
  /** By the topic's id: true wants its mail, false does not. */
  topics?: Record<string, boolean>
  /** `true` asks the person by mail: the contact is `pending`, and not subscribed, until the link of that mail is used. Its yes to topics counts from then on, too. By default `false`. */
  confirm?: boolean
}

export interface ListSuppressionsQuery {
  /** By default `25`. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
  /** The start of an address, whatever the case. */
  q?: string
}

export interface ListContactsQuery {
  /** By default `25`. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
  /** The start of an address or a name, whatever the case. */
  q?: string
  subscribed?: boolean
}

export interface UpdateContactInput {
  email?: string
  firstName?: string | null
  lastName?: string | null
  /** At most 16 KiB as JSON. */
  properties?: Record<string, string | number | boolean>
  subscribed?: boolean
  /** Changes the choices of these topics alone; null takes a choice back. */
  topics?: Record<string, boolean | null>
}

export interface CreateSegmentInput {
  name: string
  /** `{all: […]}` or `{any: […]}` with conditions `{field, op, value}`, at most 20 on both levels. Text is compared without regard to case. `above` and `below` compare numbers, `before` and `after` times; a property may have its time as `2018-03-24 10:23:10 UTC`, `2018-03-24 10:23` or `24.03.2018`, too, without a zone in UTC. `isNot` includes contacts without a value. */
  filter: {
    /** Every one of them has to hold. */
    all?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
    /** One of them has to hold. */
    any?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
  }
  /** The contact book that it filters. */
  bookId: string
}

export interface UpdateSegmentInput {
  name?: string
  /** `{all: […]}` or `{any: […]}` with conditions `{field, op, value}`, at most 20 on both levels. Text is compared without regard to case. `above` and `below` compare numbers, `before` and `after` times; a property may have its time as `2018-03-24 10:23:10 UTC`, `2018-03-24 10:23` or `24.03.2018`, too, without a zone in UTC. `isNot` includes contacts without a value. */
  filter?: {
    /** Every one of them has to hold. */
    all?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
    /** One of them has to hold. */
    any?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
  }
}

export interface CreateFormInput {
  name: string
  /** The topics that a confirmation subscribes to, beside the book. */
  topicIds?: string[]
  /** `firstName` and `lastName` are the contact's, others its properties. They are written once the person confirms. `email` is always asked for, and is put first if it is missing. By default `[{"name":"email","label":"Email address","required":true,"type":"email"}]`. */
  fields?: Array<{
    name: string
    label: string
    /** By default `false`. */
    required?: boolean
    /** By default `"text"`. */
    type?: "text" | "email" | "select" | "checkbox"
    options?: string[]
  }>
  /** What people agree to. Each confirmation keeps the wording that was shown. */
  wording: string
  /** `false` subscribes at once, but never an address that has said no: that one is asked. By default `true`. */
  confirm?: boolean
  /** The mail that asks. `{{ confirmUrl }}` is its link; a button is added where it is missing. Null: a mail of ours. Merge fields but `email` are empty, since anybody can write in a form. */
  confirmation?: {
    subject: string
    blocks: ConfirmationBlock[]
  } | null
  /** Where a browser goes after the form was sent. */
  doneUrl?: string | null
  /** Where a browser goes after the confirmation. */
  confirmedUrl?: string | null
  /** The sites whose scripts may send the form, by CORS. A plain HTML form needs none. */
  origins?: string[]
  /** By default `true`. */
  enabled?: boolean
  /** The contact book that it subscribes to. */
  bookId: string
  /** The secret of Cloudflare Turnstile. It is never shown again; null removes it. */
  turnstileSecret?: string | null
}

export interface UpdateFormInput {
  name?: string
  /** The topics that a confirmation subscribes to, beside the book. */
  topicIds?: string[]
  /** `firstName` and `lastName` are the contact's, others its properties. They are written once the person confirms. `email` is always asked for, and is put first if it is missing. */
  fields?: Array<{
    name: string
    label: string
    /** By default `false`. */
    required?: boolean
    /** By default `"text"`. */
    type?: "text" | "email" | "select" | "checkbox"
    options?: string[]
  }>
  /** What people agree to. Each confirmation keeps the wording that was shown. */
  wording?: string
  /** `false` subscribes at once, but never an address that has said no: that one is asked. */
  confirm?: boolean
  /** The mail that asks. `{{ confirmUrl }}` is its link; a button is added where it is missing. Null: a mail of ours. Merge fields but `email` are empty, since anybody can write in a form. */
  confirmation?: {
    subject: string
    blocks: ConfirmationBlock[]
  } | null
  /** Where a browser goes after the form was sent. */
  doneUrl?: string | null
  /** Where a browser goes after the confirmation. */
  confirmedUrl?: string | null
  /** The sites whose scripts may send the form, by CORS. A plain HTML form needs none. */
  origins?: string[]
  enabled?: boolean
  /** The secret of Cloudflare Turnstile. It is never shown again; null removes it. */
  turnstileSecret?: string | null
}

export type SendEventsInput =
  | {
      name: string
      email?: string
      contactId?: string
      /** Counts in this book alone. An address that is not in it yet is added, not subscribed. */
      bookId?: string
      /** At most 16 KiB as JSON. */
      properties?: Record<string, string | number | boolean>
      /** When it happened, from 1970 to one day ahead; by default now. */
      at?: string
      idempotencyKey?: string
    }
  | Array<{
      name: string
      email?: string
      contactId?: string
      /** Counts in this book alone. An address that is not in it yet is added, not subscribed. */
      bookId?: string
      /** At most 16 KiB as JSON. */
      properties?: Record<string, string | number | boolean>
      /** When it happened, from 1970 to one day ahead; by default now. */
      at?: string
      idempotencyKey?: string
    }>

export interface CreateSequenceInput {
  name: string
  domainId: string
  from: string
  replyTo?: string | null
  /** Its mail goes only to contacts that want this topic. The run of others goes on. */
  topicId?: string | null
  trigger:
    | {
        on: "subscribed"
        /** Also by an import. By default `false`. */
        imports?: boolean
      }
    | {
        on: "segment"
        segmentId: string
      }
    | {
        on: "event"
        name: string
      }
    | {
        on: "call"
      }
  /** At most 100 steps in all, 5 levels deep, each with its own key. */
  steps?: SequenceStep[]
  /** Whether a contact may go through it again. By default `"once"`. */
  entry?: "once" | "again"
  /** A run ends when its contact matches. */
  goal?: {
    /** Every one of them has to hold. */
    all?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
    /** One of them has to hold. */
    any?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
  } | null
  /** By default `true`. */
  endOnReply?: boolean
  /** Mail outside of it waits for its opening. */
  window?: {
    /** By default every day of the week. */
    days?: Array<"mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun">
    from: string
    /** At or before `from`: on the next day. */
    until: string
    /** An IANA zone, or `contact`: that of the contact's property `timezone`, else UTC. */
    zone: string
  } | null
  bookId: string
}

export interface UpdateSequenceInput {
  name?: string
  domainId?: string
  from?: string
  replyTo?: string | null
  /** Its mail goes only to contacts that want this topic. The run of others goes on. */
  topicId?: string | null
  trigger?:
    | {
        on: "subscribed"
        /** Also by an import. By default `false`. */
        imports?: boolean
      }
    | {
        on: "segment"
        segmentId: string
      }
    | {
        on: "event"
        name: string
      }
    | {
        on: "call"
      }
  /** At most 100 steps in all, 5 levels deep, each with its own key. */
  steps?: SequenceStep[]
  /** Whether a contact may go through it again. */
  entry?: "once" | "again"
  /** A run ends when its contact matches. */
  goal?: {
    /** Every one of them has to hold. */
    all?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
    /** One of them has to hold. */
    any?: Array<{
      /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
      field?: string
      /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
      op?: string
      /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
      value?: string | number | boolean
      /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
      activity?: string
      /** The activity with this campaign alone. */
      campaignId?: string
      /** In place of `field`: an event that was told of the contact, by its name. */
      event?: string
      /** The event at least this often. Events are kept for 90 days. */
      count?: number
      /** The activity or the event of the last days alone. */
      withinDays?: number
      /** `true`: contacts without the activity or the event, also those who were never mailed. */
      not?: boolean
      /** In place of a condition: a group, one level deep. */
      all?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
      /** The same, where one condition is enough. */
      any?: Array<{
        /** `email`, `firstName`, `lastName`, `subscribed`, `createdAt` or `properties.<name>`. */
        field?: string
        /** One of `is`, `isNot`, `contains`, `startsWith`, `above`, `below`, `before`, `after`, `set`, `notSet`. */
        op?: string
        /** Text, a number, true or false, or an ISO time. `set` and `notSet` take none. */
        value?: string | number | boolean
        /** In place of `field`: what became of mail of campaigns, one of `sent`, `opened`, `clicked`. A click counts as an open. */
        activity?: string
        /** The activity with this campaign alone. */
        campaignId?: string
        /** In place of `field`: an event that was told of the contact, by its name. */
        event?: string
        /** The event at least this often. Events are kept for 90 days. */
        count?: number
        /** The activity or the event of the last days alone. */
        withinDays?: number
        /** `true`: contacts without the activity or the event, also those who were never mailed. */
        not?: boolean
      }>
    }>
  } | null
  endOnReply?: boolean
  /** Mail outside of it waits for its opening. */
  window?: {
    /** By default every day of the week. */
    days?: Array<"mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun">
    from: string
    /** At or before `from`: on the next day. */
    until: string
    /** An IANA zone, or `contact`: that of the contact's property `timezone`, else UTC. */
    zone: string
  } | null
  /** The version that the change was made from. */
  version: number
}

export interface ListRunsQuery {
  /** By default `25`. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
  state?: "waiting" | "held" | "done"
  stepKey?: string
  contactId?: string
}

export interface StartRunsInput {
  contactIds: string[]
}

export interface PreviewSequenceInput {
  /** At most 100 steps in all, 5 levels deep, each with its own key. */
  steps: SequenceStep[]
}

export interface SequencePreview {
  /** That are not done. */
  runs: number
  stay: number
  moved: Array<{
    from: string
    /** Null: they would be finished. */
    to: string | null
    runs: number
  }>
}

export interface SimulateSequenceInput {
  /** The id of a contact, or what is true of one. */
  contact:
    | string
    | {
        /** By default `"ada@example.com"`. */
        email?: string
        firstName?: string | null
        lastName?: string | null
        /** At most 16 KiB as JSON. */
        properties?: Record<string, string | number | boolean>
        /** By default `true`. */
        subscribed?: boolean
        topics?: Record<string, boolean>
      }
  startAt: string
  /** Each is one of `event`, `open`, `click`, `unsubscribe` and `set`. */
  happenings?: Array<{
    at: string
    event?: string
    /** The key of the step whose mail is opened. */
    open?: string
    click?: string
    unsubscribe?: true
    set?: {
      /** At most 16 KiB as JSON. */
      properties: Record<string, string | number | boolean>
    }
  }>
  /** In place of its own steps, to try a change. */
  steps?: SequenceStep[]
}

export interface Simulation {
  timeline: Array<{
    at: string
    stepKey: string
    kind: string
    subject: string | null
    says: string
  }>
  /** Null: it is held. */
  endedBy:
    | "finished"
    | "goal"
    | "reply"
    | "unsubscribed"
    | "suppressed"
    | "deleted"
    | "person"
    | "archived"
    | null
}

export interface CreateTopicInput {
  name: string
  /** Stands below the name on the preference page. */
  description?: string | null
  /** What holds for a contact that has not chosen. By default `"subscribed"`. */
  default?: "subscribed" | "unsubscribed"
}

export interface UpdateTopicInput {
  name?: string
  /** Stands below the name on the preference page. */
  description?: string | null
  /** What holds for a contact that has not chosen. */
  default?: "subscribed" | "unsubscribed"
}

export interface UnsubscribeContactsInput {
  email: string
  /** By default in every book of the team. */
  bookId?: string
  reason?: string
}

export interface CreateCampaignInput {
  name: string
  /** The contact book that it is sent to. */
  bookId: string
  /** A segment of the book: it goes only to contacts that match when it starts. */
  segmentId?: string | null
  /** It goes only to contacts that want this topic, by choice or by the topic's default. */
  topicId?: string | null
  domainId: string
  from: string
  replyTo?: string | null
  /** May contain merge fields. */
  subject: string
  /** What inboxes show beside the subject; may contain merge fields. Null: the start of the first text. */
  preheader?: string | null
  blocks: Block[]
  theme?: Theme | null
  /** What stands where a contact has no value: `firstName`, `properties.city`. */
  mergeDefaults?: Record<string, string> | null
  headerLayoutId?: string | null
  footerLayoutId?: string | null
  /** Null: as the team's setting says. */
  trackOpens?: boolean | null
  /** The same for clicks. */
  trackClicks?: boolean | null
  /** Starts with 1 % and then 10 % of the book, and pauses by itself when their bounces or complaints reach an alert's rate. By default `false`. */
  brake?: boolean
}

export interface ListCampaignsQuery {
  /** By default `25`. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
  status?: "draft" | "scheduled" | "sending" | "sent" | "cancelled"
}

export interface UpdateCampaignInput {
  name?: string
  /** The contact book that it is sent to. */
  bookId?: string
  /** A segment of the book: it goes only to contacts that match when it starts. */
  segmentId?: string | null
  /** It goes only to contacts that want this topic, by choice or by the topic's default. */
  topicId?: string | null
  domainId?: string
  from?: string
  replyTo?: string | null
  /** May contain merge fields. */
  subject?: string
  /** What inboxes show beside the subject; may contain merge fields. Null: the start of the first text. */
  preheader?: string | null
  blocks?: Block[]
  theme?: Theme | null
  /** What stands where a contact has no value: `firstName`, `properties.city`. */
  mergeDefaults?: Record<string, string> | null
  headerLayoutId?: string | null
  footerLayoutId?: string | null
  /** Null: as the team's setting says. */
  trackOpens?: boolean | null
  /** The same for clicks. */
  trackClicks?: boolean | null
  /** Starts with 1 % and then 10 % of the book, and pauses by itself when their bounces or complaints reach an alert's rate. */
  brake?: boolean
}

export interface Audience {
  contacts: number
  subscribed: number
  /** Of all contacts of the book. */
  suppressed: number
  /** Subscribed, not suppressed and, for a campaign with a segment or a topic, of that segment and willing to get that topic. */
  eligible: number
}

export interface ListSandboxQuery {
  /** By default `25`. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
  /** An address of the envelope. */
  to?: string
  /** Up to 20 words of the subject, the text and its links, such as a code: each from its start, all needed, whatever the case. Or the start of a recipient's address. A page looks through at most 1,000 messages, and each has the first 8,000 characters of its words. */
  q?: string
  emailId?: string
  /** Seconds to wait for the first match. By default `0`. */
  wait?: number
}

export interface CreateInboxInput {
  name?: string | null
  /** Days after which the inbox's mail is deleted. By default `90`. */
  retentionDays?: number
  address: string
}

export interface UpdateInboxInput {
  name?: string | null
  /** Days after which the inbox's mail is deleted. */
  retentionDays?: number
}

export interface ListReceivedEmailsQuery {
  /** By default `25`. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
  inboxId?: string
  threadId?: string
  kind?:
    | "message"
    | "autoReply"
    | "bounce"
    | "complaint"
    | "unsubscribe"
    | Array<"message" | "autoReply" | "bounce" | "complaint" | "unsubscribe">
  /** The start of the sender's address, or `@domain`, whatever the case. */
  from?: string
  /** A part of the subject, whatever the case. */
  subject?: string
  /** Created at this time or later. */
  since?: string | Date
  /** Created before this time. */
  until?: string | Date
  read?: boolean
  /** Seconds to wait for the first match that was worked off. By default `0`. */
  wait?: number
}

export interface HandInQuery {
  /** The recipient of the envelope: an inbox of the team. */
  to?: string
  /** The sender of the envelope; empty for a message about a message. By default `""`. */
  from?: "" | string
}

export interface ListThreadsQuery {
  /** By default `25`. */
  limit?: number
  /** The `nextCursor` of the page before. */
  cursor?: string
  inboxId?: string
  state?: "open" | "done" | "spam" | Array<"open" | "done" | "spam">
}

export interface ReplyInput {
  /** The message to answer. Default: the newest of the thread. */
  receivedId?: string
  /** Without it, it is made from `html`. The empty string: no text part. */
  text?: string
  /** At least one of `html` and `text` is required. */
  html?: string
  cc?: string | string[]
  attachments?: Array<{
    filename: string
    /** Base64, standard or URL-safe, padded or not, line breaks allowed; all attachments together decode to at most 10 MiB. */
    content: string
    /** The first `text/calendar` with a `method`, such as `text/calendar; method=REQUEST`, becomes an alternative of the body, so that mail programs show an invitation. Through Cloudflare it stays a file. */
    contentType?: string
    /** Makes it inline: `<img src="cid:…">`. */
    contentId?: string
  }>
  /** The same key with the same input sends once. See idempotency. */
  idempotencyKey?: string
}
