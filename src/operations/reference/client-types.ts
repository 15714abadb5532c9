import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { sentEvents } from "../../reference/event-shapes.ts"
import type { Schema } from "../../reference/words.ts"
import { endpoints } from "../../worker/contract.ts"
import { createOpenApi } from "../../worker/platform/http/openapi/openapi.ts"
import { toDeclaration } from "./json-schema-types.ts"

/** Types of the client without a named schema, by the name of their call. */
const CALLS: Record<string, { body?: string; query?: string; reply?: string }> = {
  "GET /me": { reply: "Me" },
  "GET /emails": { query: "ListEmailsQuery" },
  "POST /emails/raw": { query: "SendRawQuery" },
  "POST /api-keys": { body: "CreateApiKeyInput" },
  "POST /webhooks": { body: "CreateWebhookInput" },
  "PATCH /webhooks/{id}": { body: "UpdateWebhookInput" },
  "GET /webhooks/{id}/deliveries": { query: "ListWebhookDeliveriesQuery" },
  "GET /refused-calls": { query: "RefusedCallsQuery" },
  "GET /stats/series": { query: "StatsSeriesQuery" },
  "GET /events": { query: "ListEventsQuery" },
  "POST /webhooks/{id}/backfill": { body: "BackfillInput", reply: "Backfill" },
  "POST /suppressions": { body: "AddSuppressionInput" },
  "POST /suppressions/import": {
    body: "ImportSuppressionsInput",
    reply: "SuppressionImportReport",
  },
  "POST /templates": { body: "CreateTemplateInput" },
  "PATCH /templates/{slugOrId}": { body: "UpdateTemplateInput" },
  "POST /templates/{slugOrId}/render": { reply: "RenderedTemplate" },
  "POST /contact-books": { body: "CreateContactBookInput" },
  "PATCH /contact-books/{id}": { body: "UpdateContactBookInput" },
  "POST /contact-books/{id}/contacts/import": {
    body: "ImportContactsInput",
    reply: "ImportReport",
  },
  "POST /contact-books/{id}/contacts": { body: "CreateContactInput" },
  "GET /suppressions": { query: "ListSuppressionsQuery" },
  "GET /contact-books/{id}/contacts": { query: "ListContactsQuery" },
  "PATCH /contact-books/{id}/contacts/{contactId}": { body: "UpdateContactInput" },
  "POST /segments": { body: "CreateSegmentInput" },
  "PATCH /segments/{id}": { body: "UpdateSegmentInput" },
  "POST /forms": { body: "CreateFormInput" },
  "PATCH /forms/{id}": { body: "UpdateFormInput" },
  "POST /events": { body: "SendEventsInput" },
  "POST /sequences": { body: "CreateSequenceInput" },
  "PATCH /sequences/{id}": { body: "UpdateSequenceInput" },
  "GET /sequences/{id}/runs": { query: "ListRunsQuery" },
  "POST /sequences/{id}/contacts": { body: "StartRunsInput" },
  "POST /sequences/{id}/preview": { body: "PreviewSequenceInput", reply: "SequencePreview" },
  "POST /sequences/{id}/simulate": { body: "SimulateSequenceInput", reply: "Simulation" },
  "POST /topics": { body: "CreateTopicInput" },
  "PATCH /topics/{id}": { body: "UpdateTopicInput" },
  "POST /contacts/unsubscribe": { body: "UnsubscribeContactsInput" },
  "POST /campaigns": { body: "CreateCampaignInput" },
  "GET /campaigns": { query: "ListCampaignsQuery" },
  "PATCH /campaigns/{id}": { body: "UpdateCampaignInput" },
  "GET /campaigns/{id}/audience": { reply: "Audience" },
  "GET /sandbox/messages": { query: "ListSandboxQuery" },
  "POST /inboxes": { body: "CreateInboxInput" },
  "PATCH /inboxes/{id}": { body: "UpdateInboxInput" },
  "GET /received-emails": { query: "ListReceivedEmailsQuery" },
  "POST /received-emails": { query: "HandInQuery" },
  "GET /threads": { query: "ListThreadsQuery" },
  "POST /threads/{id}/replies": { body: "ReplyInput" },
}

const HEAD = `// Written by \`npm run client-types\` out of the contract's schemas.\n`

interface Content {
  content?: { "application/json"?: { schema: Schema } }
}

interface Operation {
  parameters: { name: string; in: string; description?: string; schema: Schema }[]
  requestBody?: Content
  responses: Record<string, Content>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema> }
}

/** The client's types: the named schemas of the document, and inputs and replies of single calls. */
export function clientTypes(): string {
  const { paths, components, webhooks } = createOpenApi(endpoints, "https://mail.example.com", {
    events: sentEvents(),
  }) as unknown as Document
  const { Error: errorBody = {}, ...schemas } = components.schemas
  const declared = Object.entries(schemas).map(([name, schema]) =>
    toDeclaration(name, schema, schemas),
  )
  declared.push(toDeclaration("ErrorBody", errorBody))
  const description = "What a webhook's request tells. A test tells `{ test: true }` alone."
  const events = Object.values(webhooks).map(({ post }) => jsonOf(post.requestBody))
  declared.push(toDeclaration("WebhookEvent", { description, anyOf: events }))
  for (const [call, names] of Object.entries(CALLS)) {
    const [method = "", path = ""] = call.split(" ")
    const operation = paths[path]?.[method.toLowerCase()]
    if (!operation) throw new Error(`The contract has no ${call}`)
    if (names.body) declared.push(toDeclaration(names.body, jsonOf(operation.requestBody)))
    if (names.query) declared.push(toDeclaration(names.query, queryOf(operation)))
    if (names.reply) declared.push(toDeclaration(names.reply, replyOf(operation)))
  }
  return HEAD + declared.join("\n")
}

const jsonOf = (holder: Content | undefined): Schema =>
  holder?.content?.["application/json"]?.schema ?? {}

const replyOf = ({ responses }: Operation) =>
  jsonOf(Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1])

const queryOf = ({ parameters }: Operation): Schema => ({
  type: "object",
  properties: Object.fromEntries(
    parameters
      .filter((one) => one.in === "query")
      .map(({ name, schema, description }) => [
        name,
        { ...fromCaller(schema), ...(description && { description }) },
      ]),
  ),
})

/** The client writes booleans and dates into the URL. */
function fromCaller(schema: Schema): Schema {
  if (schema.enum?.join() === "true,false") return { type: "boolean" }
  return schema.format === "date-time" ? { anyOf: [schema, { $ref: "Date" }] } : schema
}

if (import.meta.main) {
  const file = new URL("../../client/types.ts", import.meta.url)
  writeFileSync(file, clientTypes())
  execFileSync("npx", ["biome", "check", "--write", fileURLToPath(file)], { stdio: "inherit" })
}
