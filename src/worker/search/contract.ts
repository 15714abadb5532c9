import * as z from "zod"
import { email, emailPage } from "../emails/contract.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { createdRange, pageQuery } from "../platform/http/page.ts"
import { boundedText, timestamp } from "../platform/http/shapes.ts"
import { suppression } from "../suppressions/contract.ts"

const inDashboard = { access: "session", dashboardRole: "member", tag: "Dashboard" } as const

export const searchId = endpoint({
  ...inDashboard,
  name: "search",
  call: "GET /search",
  summary: "Find the emails of an id",
  description:
    "`q` is an id with its prefix (`em_…`, `cmp_…`, `whd_…`). For a campaign or a sequence, `data` are its emails. For another object, `object` says which it is.",
  query: pageQuery.extend({
    q: boundedText(320).describe("The id, whatever the case of its prefix."),
    ...createdRange,
  }),
  response: z
    .object({
      object: z
        .object({ type: z.string(), id: z.string() })
        .nullable()
        .describe("Type as in the audit log: `emails`, `campaigns`, `deliveries`, `webhooks` …"),
      data: z.array(email),
      nextCursor: z.string().nullable(),
    })
    .meta({
      example: {
        object: { type: "emails", id: exampleId("email") },
        data: [email.meta()?.example],
        nextCursor: null,
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
