import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { boundedText, timestamp } from "../platform/http/shapes.ts"
import { CONSENT_SOURCES } from "./shapes.ts"

export const listConsents = endpoint({
  name: "contacts.consents",
  call: "GET /contact-books/:id/contacts/:contactId/consents",
  access: "session",
  dashboardRole: "member",
  tag: "Contacts",
  summary: "Read the history of a contact's consent, newest first",
  description: "The first change and the 199 newest ones are kept, as long as the contact.",
  response: z
    .object({
      data: z.array(
        z.object({
          at: timestamp,
          topicId: z.string().nullable().describe("Null: the subscription of the book."),
          subscribed: z.boolean().nullable().describe("Null: a choice was taken back."),
          by: z
            .enum(CONSENT_SOURCES)
            .describe(
              "`key`, `person` and `import` name who it was in `actorId`; `other-book`: the address had chosen in another book.",
            ),
          actorId: z.string().nullable().describe("The API key, or the person of the dashboard."),
        }),
      ),
    })
    .meta({
      example: {
        data: [
          { at: EXAMPLE_TIME, topicId: null, subscribed: false, by: "one-click", actorId: null },
        ],
      },
    }),
})

const foundContact = z.object({
  id: z.string(),
  bookId: z.string(),
  bookName: z.string(),
  email: z.string(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
})

export const findContacts = endpoint({
  name: "contacts.search",
  call: "GET /contacts/search",
  access: "session",
  dashboardRole: "member",
  tag: "Contacts",
  summary: "Find contacts in all contact books",
  description: "Up to 5 contacts of the newest 100 books.",
  query: z.object({
    q: boundedText(120, z.string().trim().min(1)).describe(
      "The start of an address, a name or a last name.",
    ),
  }),
  response: z.object({ data: z.array(foundContact) }).meta({
    example: {
      data: [
        {
          id: exampleId("contact"),
          bookId: exampleId("contactBook"),
          bookName: "Readers",
          email: "ada@example.com",
          firstName: "Ada",
          lastName: null,
        },
      ],
    },
  }),
})
