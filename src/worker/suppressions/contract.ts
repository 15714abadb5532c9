import * as z from "zod"
import {
  IMPORT_MAX_CSV_BYTES,
  IMPORT_MAX_ERRORS,
  IMPORT_MAX_ROWS,
} from "../contacts/import/import-limits.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { bareAddress, boundedText, timestamp, timestampInput } from "../platform/http/shapes.ts"

export const SUPPRESSION_REASONS = ["manual", "unsubscribe", "bounce", "complaint"] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

export const suppression = z
  .object({
    id: z.string(),
    email: z.string(),
    reason: z.enum(SUPPRESSION_REASONS),
    note: z.string().nullable(),
    sourceEmailId: z.string().nullable().describe("The email whose bounce or complaint it was."),
    createdAt: timestamp,
  })
  .meta({
    id: "Suppression",
    example: {
      id: exampleId("suppression"),
      email: "ada@example.com",
      reason: "manual",
      note: "Asked by phone",
      sourceEmailId: null,
      createdAt: EXAMPLE_TIME,
    },
  })

export type Suppression = z.output<typeof suppression>

const tag = "Suppressions"

const note = boundedText(1000, z.string().trim()).nullable()

export const addSuppression = endpoint({
  name: "suppressions.add",
  call: "POST /suppressions",
  access: "full",
  tag,
  summary: "Suppress an address",
  description: "An address already listed keeps its record; the first entry wins.",
  example: () => ({ email: "ada@example.com", note: "Asked by phone" }),
  json: z.object({
    email: bareAddress,
    reason: z.enum(["manual", "unsubscribe"]).default("manual"),
    note: note.default(null),
  }),
  status: 201,
  response: suppression,
})

export const importSuppressions = endpoint({
  name: "suppressions.import",
  call: "POST /suppressions/import",
  access: "full",
  tag,
  summary: "Suppress the addresses of a CSV file",
  description: `As an import of contacts: up to 2 MiB and ${IMPORT_MAX_ROWS} rows. \`email\` is needed; \`reason\`, \`note\`, \`created_at\` and \`source_email_id\` are read as an export of the dashboard writes them, and \`reason\` also in words of other services; other columns are left out. An address already listed keeps its record.`,
  example: () => ({ csv: "email,reason\nada@example.com,bounce\nnobody,", reason: "complaint" }),
  json: z.object({
    csv: z.string().describe("The whole file, in UTF-8."),
    reason: z
      .enum(SUPPRESSION_REASONS)
      .default("manual")
      .describe("Of rows in which the file has none that is known."),
  }),
  maxBytes: 2 * IMPORT_MAX_CSV_BYTES,
  response: z
    .object({
      added: z.int(),
      existing: z.int(),
      errors: z
        .array(z.object({ line: z.int(), email: z.string().nullable(), message: z.string() }))
        .describe(`The first ${IMPORT_MAX_ERRORS} rows without an address.`),
    })
    .meta({
      example: {
        added: 1,
        existing: 0,
        errors: [{ line: 3, email: "nobody", message: "Not an email address" }],
      },
    }),
})

export const listSuppressions = endpoint({
  name: "suppressions.list",
  call: "GET /suppressions",
  access: "full",
  tag,
  summary: "List suppressions, newest first",
  description: "With `q`, those whose address starts with it, by address.",
  query: pageQuery.extend({
    q: boundedText(320, z.string().trim().min(1))
      .optional()
      .describe("The start of an address, whatever the case."),
  }),
  response: pageOf(suppression),
})

export const restoreSuppression = endpoint({
  name: "suppressions.restore",
  call: "POST /suppressions/restore",
  access: "session",
  tag,
  summary: "Take a removal back",
  description: "The entry as it was listed. An address that is listed again keeps its new entry.",
  example: () => ({
    email: "ada@example.com",
    reason: "bounce",
    note: null,
    sourceEmailId: exampleId("email"),
    createdAt: EXAMPLE_TIME,
  }),
  json: z.object({
    email: bareAddress,
    reason: z.enum(SUPPRESSION_REASONS),
    note,
    sourceEmailId: z.string().max(64).nullable(),
    createdAt: timestampInput,
  }),
  status: 201,
  response: suppression,
})

export const removeSuppression = endpoint({
  name: "suppressions.remove",
  call: "DELETE /suppressions/:email",
  access: "full",
  tag,
  summary: "Let an address be mailed again",
})
