import * as z from "zod"
import { MAX_WORDS, TOO_MANY_WORDS } from "../../emails/word-index/words-contract.ts"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { pageQuery, searchedPageOf } from "../../platform/http/page.ts"
import { timestamp } from "../../platform/http/shapes.ts"

export const AUDIT_LOG_DAYS = 400

export const ACTOR_TYPES = ["user", "key", "visitor"] as const

export const wordsIn = (q: string) => q.split(/\s+/).filter(Boolean)

const entryExample = {
  id: exampleId("auditEntry"),
  at: EXAMPLE_TIME,
  actor: { type: "user" as const, id: exampleId("user"), name: "Owner" },
  action: "apiKeys.create",
  object: { type: "apiKeys", id: exampleId("apiKey"), label: "CI" },
  changes: [{ field: "permission", before: null, after: "full" }],
}

const fieldChange = z.object({
  field: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
})
export type FieldChange = z.output<typeof fieldChange>

const entry = z
  .object({
    id: z.string(),
    at: timestamp,
    actor: z.object({
      type: z.enum(ACTOR_TYPES),
      id: z.string().nullable(),
      name: z.string().nullable().describe("The name at that time."),
    }),
    action: z.string().describe("The call's name, such as `apiKeys.create`."),
    object: z.object({
      type: z.string().describe("The first part of the action, such as `apiKeys`."),
      id: z.string().nullable(),
      label: z.string().nullable().describe("A name, an address or a URL; never a secret."),
    }),
    changes: z
      .array(fieldChange)
      .describe("The fields that changed. Long values are cut; secrets and contents are left out."),
  })
  .meta({
    id: "AuditEntry",
    example: entryExample,
  })
export type AuditEntry = z.output<typeof entry>

export const listAuditLog = endpoint({
  name: "auditLog.list",
  call: "GET /audit-log",
  access: "session",
  dashboardRole: "admin",
  tag: "Team",
  summary: "List who changed what, newest first",
  description: `Kept for ${AUDIT_LOG_DAYS} days. With a filter, a page looks through at most 1,000 entries, so a short page may have a \`nextCursor\`; \`searchedUntil\` says how far back it looked.`,
  query: pageQuery.extend({
    actorId: z.string().max(100).optional().describe("The id of a person or of a key."),
    objectId: z.string().max(100).optional(),
    objectType: z.string().max(50).optional(),
    q: z
      .string()
      .max(200)
      .refine((text) => wordsIn(text).length <= MAX_WORDS, TOO_MANY_WORDS)
      .optional()
      .describe(
        `Up to ${MAX_WORDS} words that all occur in the action, the object's name or id, or the actor's name.`,
      ),
  }),
  response: searchedPageOf(entry),
})
