import * as z from "zod"
import { email, emailPage } from "../emails/contract.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { createdRange, pageQuery } from "../platform/http/page.ts"
import { boundedText, timestamp } from "../platform/http/shapes.ts"
import { suppression } from "../suppressions/contract.ts"

const inDashboard = { access: "session", dashboardRole: "member", tag: "Dashboard" } as const

const SEARCH_KINDS = ["recent", "address", "id", "status", "tag", "subject"] as const

/** How many emails a page of a search by subject looks through. */
export const SUBJECT_SCAN = 2_000

export const searchEmails = endpoint({
  ...inDashboard,
  name: "search",
  call: "GET /search",
  summary: "Find emails by one text",
  description: [
    "`q` is, in this order: empty (the newest emails), an id with its prefix (`em_…`, `cmp_…`, `whd_…`), an address, `status:bounced`, `tag:key:value` or `tag:key`, or words of a subject, all of which must occur, whatever the case.",
    `A page of words looks through the newest ${SUBJECT_SCAN} emails, and \`searchedBack\` says how far that reached; \`nextCursor\` goes on from there.`,
    "For the id of another object, `object` says which it is. For a campaign's id, `data` are its emails.",
    "`since` and `until` bound every search but that for the id of an email.",
  ].join("\n\n"),
  query: pageQuery.extend({
    q: boundedText(320).default("").describe("What to look for."),
    ...createdRange,
  }),
  response: z
    .object({
      kind: z.enum(SEARCH_KINDS).describe("As what `q` was read."),
      object: z
        .object({ type: z.string(), id: z.string() })
        .nullable()
        .describe("Type as in the audit log: `emails`, `campaigns`, `deliveries`, `webhooks` …"),
      data: z.array(email),
      nextCursor: z.string().nullable(),
      searchedBack: timestamp
        .nullable()
        .describe("With words: emails older than this were not looked at. Null: all were."),
    })
    .meta({
      example: {
        kind: "address",
        object: null,
        data: [email.meta()?.example],
        nextCursor: null,
        searchedBack: null,
      },
    }),
})

const consent = z.object({
  bookId: z.string(),
  bookName: z.string(),
  contactId: z.string(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  subscribed: z.boolean(),
  unsubscribeReason: z.string().nullable(),
  unsubscribedAt: timestamp.nullable(),
  createdAt: timestamp,
})

export const getRecipient = endpoint({
  ...inDashboard,
  name: "recipients.get",
  call: "GET /recipients/:email",
  summary: "Read everything about an address",
  description:
    "An address without any mail is not unknown: its lists are empty. `GET /emails?to=` reads the pages after the first.",
  response: z
    .object({
      email: z.string(),
      suppression: suppression.nullable().describe("`sourceEmailId` is the mail that caused it."),
      contacts: z.array(consent).describe("At most 100, in the newest 1,000 books."),
      emails: emailPage,
    })
    .meta({
      example: {
        email: "ada@example.com",
        suppression: suppression.meta()?.example,
        contacts: [
          {
            bookId: exampleId("contactBook"),
            bookName: "Readers",
            contactId: exampleId("contact"),
            firstName: "Ada",
            lastName: null,
            subscribed: true,
            unsubscribeReason: null,
            unsubscribedAt: null,
            createdAt: EXAMPLE_TIME,
          },
        ],
        emails: { data: [email.meta()?.example], nextCursor: null },
      },
    }),
})
