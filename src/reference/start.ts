import { IMPORT_MAX_CSV_BYTES, IMPORT_MAX_ROWS } from "../worker/contacts/import/import-limits.ts"
import { endpoints } from "../worker/contract.ts"
import {
  MAX_ATTACHMENTS_BYTES,
  MAX_RECIPIENTS,
  SEND_MAX_BYTES,
} from "../worker/emails/send-input.ts"
import { ERROR_STATUS, type ErrorCode } from "../worker/platform/http/errors.ts"
import { MIB } from "../worker/platform/http/input/body.ts"
import { ERROR_MEANING } from "../worker/platform/http/openapi/refusals.ts"
import { MAX_LIMIT } from "../worker/platform/http/page.ts"
import { MAX_WEBHOOKS } from "../worker/webhooks/webhooks.ts"
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
  prose(`The API is at \`${apiUrl}\`. Requests and replies are JSON. This reference is also available as [Markdown](/docs.md) and [OpenAPI 3.1](/api/v1/openapi.json).

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
    `In JavaScript, the client library makes the same calls. This installation serves it: \`npm install ${new URL(apiUrl).origin}/edgepost.tgz\`. This page shows its method beside each call:`,
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
    "`demo.test` is the verified domain of a local installation. Elsewhere, [add your own](#call-domains.create). [Webhooks](#webhook-events) and the [live stream](#live-stream) tell you what happens to an email.",
  ),
]

const AUTHENTICATION = `
Every call carries \`Authorization: Bearer <API_KEY>\`. A key is \`svc_live_\` and 43 characters. [Create one](#call-apiKeys.create) with a \`full\` key or on the dashboard. Its secret is shown once. Keep keys out of browsers: the API sends no CORS headers.

- **full** keys may do everything.
- **sending_only** keys may [send](#call-emails.send), [send a batch](#call-emails.batch), [send a raw message](#call-emails.sendRaw), [check an email](#call-emails.check) and read [\`/me\`](#call-me). Everything else answers \`403\`, \`This key is sending-only.\`, and \`overrideSuppression\` is ignored.

A key with a \`domainId\` sends from that domain only. When the domain is deleted, the key sends from nowhere. A missing, a malformed, an unknown and a revoked key get the same \`401\`.

To replace a key, create a second one, deploy it, wait until \`lastUsedAt\` of the old key stops moving, then revoke the old key.`

const ERRORS =
  "Every call that fails answers in this form. If a body or a query is invalid, `details` lists the issues, each with `path` (a list) and `message`."

const ORDER = `The service checks in this order: key, path and method, permission, size, schema, existence, state. A call that sends then checks the idempotency key, the template, the domain, the key's domain and suppressions.

A batch is refused as a whole. Its \`details\` is \`{index, cause}\`: the position of the first item that is refused, and the \`details\` that this item would get alone.

Every response has the header \`x-request-id\`. Send your own, and it is kept: up to 64 of \`[A-Za-z0-9_-]\`.`

const REQUESTS = `
- **Bodies** are read as JSON in UTF-8, whatever the content type says. A misspelt member, such as \`reply_to\`, is refused with the right name. Other unknown members are ignored. A PATCH without a known member is refused. \`null\` is accepted where this page says nullable.
- **Lengths** count UTF-16 units. Names and subjects are trimmed first.
- **Timestamps** in replies are ISO 8601, in UTC, with milliseconds and \`Z\`. In requests, they need \`Z\` or an offset.
- **Ids** are a prefix and 26 characters, such as \`em_01KAHTZ9QGX4N7C2D5E8RVW3MB\`. They sort by time.
- **Addresses** are lower-cased. Display names are kept.
- **Members** of a reply that are not marked as optional are always there.
- HEAD works as GET without a body. OPTIONS answers 405, a path with a trailing slash 404. \`GET /health\` needs no key.`

const PAGINATION = `Lists answer \`{data, nextCursor}\`, newest first. For the next page, pass \`nextCursor\` as \`cursor\`, until it is null. \`limit\` is 1 to ${MAX_LIMIT}, and 25 by default; other values are refused.

Do not build cursors yourself. A cursor stays valid when its record is deleted. With filters, or with large records, a page may be short or empty and still have a next one, so go by \`nextCursor\`. A deep page is as fast as the first.`

const IDEMPOTENCY = `
Give an email an \`idempotencyKey\`, or the call the header \`Idempotency-Key\`, and you can repeat the call safely. The same key with the same input answers \`200\` and the first id, also when two calls race, and even if the email would be refused by now. The same key with another input is refused: \`409\`, \`idempotency_conflict\`. A member and a header that differ are refused, too: \`400\`.

A key is known in the whole team, for as long as the email's record is kept. Inputs are compared by meaning: one recipient equals a list of one, and two spellings of one time are equal. With the header on a batch, an item without a key of its own gets \`<key>#<index>\`. A batch in which every item is a repeat answers \`200\`.`

const REPEATABLE = endpoints
  .filter(({ retryable }) => retryable)
  .map((one) => `[\`POST ${one.path}\`](#${callId(one)})`)
  .join(", ")

const RETRIES = `
Unless the installation sets other limits, a key may make 1,000 calls in 10 seconds, and all keys of a team 3,000. Beyond that: \`429\` with \`retry-after\` in seconds.

The client library repeats failed calls by these rules. Without it, do the same:

- Retry network errors, 429 and 5xx, except 501 and 505. Give each try 30 seconds.
- Wait 500 ms before the first retry and double the wait each time, up to 8 seconds, each 20 % longer or shorter by chance. If there is a \`retry-after\`, wait as long as it says, up to 60 seconds. Two retries are enough.
- GET, PATCH and DELETE are safe to repeat. So are ${REPEATABLE}. Sending is safe if every email has an idempotency key.
- Never repeat other calls by yourself, such as sending a campaign or importing contacts.`

const mib = (bytes: number) => `${bytes / MIB} MiB`

const LIMITS = [
  ["Recipients of an email, `to`, `cc` and `bcc` together", String(MAX_RECIPIENTS)],
  ["Attachments of an email, decoded", `20, together ${mib(MAX_ATTACHMENTS_BYTES)}`],
  ["Emails in a batch", "100"],
  ["Body of a call that sends", mib(SEND_MAX_BYTES)],
  [
    "CSV of an import",
    `${mib(IMPORT_MAX_CSV_BYTES)}, ${IMPORT_MAX_ROWS.toLocaleString("en")} rows, in a body of ${mib(2 * IMPORT_MAX_CSV_BYTES)}`,
  ],
  ["Body of a template's rendering", "256 KiB"],
  ["Any other body", mib(MIB)],
  ["How far ahead an email or a campaign is scheduled", "1 year"],
  ["Webhooks of a team", String(MAX_WEBHOOKS)],
]
