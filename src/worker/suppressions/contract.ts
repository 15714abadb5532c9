import * as z from "zod"
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
