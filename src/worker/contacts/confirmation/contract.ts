import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { pageOf, pageQuery } from "../../platform/http/page.ts"
import { timestamp } from "../../platform/http/shapes.ts"

const consent = z
  .object({
    id: z.string(),
    formId: z.string().nullable().describe("Null where a call of the API asked."),
    wording: z.string().nullable().describe("What the form said, as the person saw it."),
    topicIds: z.array(z.string()).describe("The topics that were agreed to, beside the book."),
    askedAt: timestamp,
    confirmedAt: timestamp
      .nullable()
      .describe("Null until the person confirms. A form that asks nobody needs none."),
    network: z
      .string()
      .nullable()
      .describe("The network address that sent the form, cut to /24 or /48."),
    confirmedNetwork: z.string().nullable().describe("The one that confirmed."),
  })
  .meta({
    id: "Consent",
    example: {
      id: exampleId("consent"),
      formId: exampleId("form"),
      wording: "Send me the newsletter once a month.",
      topicIds: [],
      askedAt: EXAMPLE_TIME,
      confirmedAt: EXAMPLE_TIME,
      network: "203.0.113.0/24",
      confirmedNetwork: "203.0.113.0/24",
    },
  })

export const listConfirmations = endpoint({
  name: "contacts.consent",
  call: "GET /contact-books/:id/contacts/:contactId/consent",
  access: "full",
  tag: "Contacts",
  summary: "List how a contact has agreed, newest first",
  description:
    "Each time the person was asked, with what the form said. A question without an answer is deleted after 7 days.",
  query: pageQuery,
  response: pageOf(consent),
})
