import { IMPORT_MAX_CSV_BYTES, IMPORT_MAX_ROWS } from "../contacts/contract.ts"
import { endpoints } from "../contract.ts"
import { MAX_ATTACHMENTS_BYTES, MAX_RECIPIENTS, SEND_MAX_BYTES } from "../emails/send-input.ts"
import { MIB } from "../http/body.ts"
import { ERROR_STATUS, type ErrorCode } from "../http/errors.ts"
import { MAX_LIMIT } from "../http/page.ts"
import { ERROR_MEANING } from "../http/refusals.ts"
import { MAX_WEBHOOKS } from "../webhooks/webhooks.ts"
import { type Block, code, heading, prose, type Section, table } from "./blocks.ts"
import { pretty } from "./example.ts"
import { callId } from "./reference.ts"
import type { Schema } from "./words.ts"

export function startSections(apiUrl: string, schemas: Record<string, Schema>): Section[] {
  return [
    { id: "start", title: "First email", body: firstEmail(apiUrl) },
    { id: "authentication", title: "Authentication", body: [prose(AUTHENTICATION)] },
    {
      id: "errors",
      title: "Errors",
      body: [
        prose(ERRORS),
        heading("schema-Error", "Error"),
        code(pretty(schemas.Error?.example), "An error", "json"),
        table(
          ["Code", "Status", "When"],
          (Object.entries(ERROR_MEANING) as [ErrorCode, string][]).map(([name, when]) => [
            `\`${name}\``,
            String(ERROR_STATUS[name]),
            when,
          ]),
        ),
        prose(ORDER),
      ],
    },
    { id: "requests", title: "Requests and replies", body: [prose(REQUESTS)] },
    { id: "pagination", title: "Pagination", body: [prose(PAGINATION)] },
    { id: "idempotency", title: "Idempotency", body: [prose(IDEMPOTENCY)] },
    { id: "retries", title: "Rate limit and retries", body: [prose(RETRIES)] },
    { id: "limits", title: "Limits", body: [table(["What", "At most"], LIMITS)] },
  ]
}

const firstEmail = (apiUrl: string): Block[] => [
  prose(`The API lives at \`${apiUrl}\`. It takes and answers JSON. The same reference for programs is [OpenAPI 3.1](/api/v1/openapi.json).

Send an email with a key in \`SVC_API_KEY\`, then read it with its timeline:`),
  code(
    `export SVC_API_KEY=svc_live_…

curl ${apiUrl}/emails \\
  -H "authorization: Bearer $SVC_API_KEY" \\
  -d '{
    "from": "Hello <hello@demo.test>",
    "to": "success@simulator.amazonses.com",
    "subject": "It works",
    "html": "<p>Hi there</p>"
  }'

curl ${apiUrl}/emails/em_… -H "authorization: Bearer $SVC_API_KEY"`,
    "First email",
    "sh",
  ),
  prose(
    "In JavaScript, the client library makes the same calls. `npm run pack` writes the package; beside each call this page shows its method:",
  ),
  code(
    `import { Edgepost } from "edgepost"

const edgepost = new Edgepost({
  apiKey: process.env.SVC_API_KEY,
  baseUrl: "${new URL(apiUrl).origin}",
})`,
    "The client library",
    "js",
  ),
  prose(
    "`demo.test` is the verified domain of a local installation; elsewhere [add your own](#call-domains.create). What happens is told by [webhooks](#webhook-events) and by the [live stream](#live-stream).",
  ),
]

const AUTHENTICATION = `
Every call carries \`Authorization: Bearer <API_KEY>\`, a key being \`svc_live_\` and 43 characters. Keys do not belong in browsers: there is no CORS. [Make one](#call-apiKeys.create) with a \`full\` key or on the dashboard; its secret is shown once.

- **full** may do everything.
- **sending_only** may [send](#call-emails.send), [send a batch](#call-emails.batch), [check an email](#call-emails.check) and read [\`/me\`](#call-me). Everything else answers \`403\`, \`This key is sending-only.\`, and \`overrideSuppression\` is ignored.

A key with a \`domainId\` sends from that domain alone; when the domain is deleted, from none. A missing, malformed, unknown and revoked key answer the same \`401\`.`

const ERRORS =
  "A call that fails answers this, whatever went wrong. For a body or a query that does not fit, `details` lists the issues, each with `path` (a list) and `message`."

const ORDER = `Checked in this order: key, path and method, permission, size, schema, existence, state. A sending call then looks at the idempotency key, template, domain, the key's domain and suppressions. A batch refuses as a whole: \`details\` is \`{index, cause}\`, \`cause\` being what \`details\` would be for that item alone.

Every response carries \`x-request-id\`; your own is kept if it has up to 64 of \`[A-Za-z0-9_-]\`.`

const REQUESTS = `
- **Bodies** are read as JSON whatever the content type says. Unknown members are dropped; a PATCH that is left with none is refused. \`null\` is taken where this page says nullable. Names and subjects are trimmed before they are measured, in UTF-16 units.
- **Timestamps** are answered in ISO 8601, UTC, with milliseconds and \`Z\`; taken with \`Z\` or an offset, never as a local time.
- **Ids** are a prefix and 26 characters, such as \`em_01KAHTZ9QGX4N7C2D5E8RVW3MB\`, and sort by time.
- **Addresses** are lower-cased, display names kept.
- **Members** without a mark are always there in a reply.
- HEAD is GET without a body, OPTIONS is 405, a trailing slash 404. \`GET /health\` needs no key.`

const PAGINATION = `Lists answer \`{data, nextCursor}\`, newest first. Pass \`nextCursor\` as \`cursor\` for the next page, until it is null; \`limit\` is 1 to ${MAX_LIMIT}, 25 unless you say otherwise, and refused beyond. A cursor is opaque, survives the deletion of what it points at, and a deep page costs what the first one does. With filters a page may be short, even empty, and still have a next one: go by \`nextCursor\`.`

const IDEMPOTENCY = `
Put an \`idempotencyKey\` of your own into an email, or the header \`Idempotency-Key\` on the call (both and different: \`400\`). The same key with the same input again answers \`200\` and the first id, also when two requests race, and even if the rest would refuse by now. With another input: \`409\`, \`idempotency_conflict\`.

Keys are the team's, and last as long as the email's record. Inputs are compared once read: one recipient and a list of one are the same, so are two spellings of one instant. The header on a batch gives an item without a key \`<key>#<index>\`; a batch of replays alone answers \`200\`.`

const REPEATABLE = endpoints
  .filter(({ retryable }) => retryable)
  .map((one) => `[\`POST ${one.path}\`](#${callId(one)})`)
  .join(", ")

const RETRIES = `
A key may make 1,000 requests in 10 seconds unless the installation says otherwise. Beyond: \`429\` with \`retry-after\` in seconds.

- Retry network errors, 429 and 5xx, but for 501 and 505: twice, after 500 ms times 2ⁿ, give or take 20 %, at most 8 s. Wait for \`retry-after\` where it is there, up to 60 s. Give a request 30 s.
- Any GET, PATCH and DELETE may be repeated. So may these: ${REPEATABLE}; and sending, if every email has an idempotency key.
- Never repeat by itself: sending a campaign, importing contacts, creating anything else.`

const mib = (bytes: number) => `${bytes / MIB} MiB`

const LIMITS = [
  ["Recipients of an email, `to`, `cc` and `bcc` together", String(MAX_RECIPIENTS)],
  ["Attachments of an email, decoded", `20 of ${mib(MAX_ATTACHMENTS_BYTES)} in all`],
  ["Emails in a batch", "100"],
  ["Body of a call that sends", mib(SEND_MAX_BYTES)],
  [
    "CSV of an import",
    `${mib(IMPORT_MAX_CSV_BYTES)}, ${IMPORT_MAX_ROWS.toLocaleString("en")} rows, in a body of ${mib(2 * IMPORT_MAX_CSV_BYTES)}`,
  ],
  ["Body of a template's rendering", "256 KiB"],
  ["Any other body", mib(MIB)],
  ["Time ahead that something is scheduled", "1 year"],
  ["Webhooks of a team", String(MAX_WEBHOOKS)],
]
