import * as z from "zod"
import { domainOf, normalizeAddress, normalizeDomain } from "../../../lib/address.ts"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { pageOf, pageQuery } from "../../platform/http/page.ts"
import {
  atLeastOne,
  boundedText,
  optionalTitle,
  parsedBy,
  timestamp,
} from "../../platform/http/shapes.ts"

export const MAX_INBOXES = 1_000

/** `*@domain` takes the mail that no other inbox of the domain takes. */
function parseInboxAddress(text: string): string | null {
  const address = text.trim()
  if (!address.startsWith("*@")) return normalizeAddress(address)
  const domain = normalizeDomain(domainOf(address))
  return domain && `*@${domain}`
}

const fields = z.object({
  name: optionalTitle(200),
  retentionDays: z.int().min(1).max(3650).describe("Days after which the inbox's mail is deleted."),
})

const inputExample = { address: "help@demo.test", name: "Support" }

export const inbox = fields
  .extend({
    id: z.string(),
    address: z.string(),
    domainId: z.string(),
    name: z.string().nullable(),
    forwardingAddress: z
      .string()
      .nullable()
      .describe(
        "While its domain has the mode `forward`: what is forwarded to this address arrives in the inbox.",
      ),
    createdAt: timestamp,
  })
  .meta({
    id: "Inbox",
    example: {
      id: exampleId("inbox"),
      ...inputExample,
      domainId: exampleId("domain"),
      forwardingAddress: null,
      retentionDays: 90,
      createdAt: EXAMPLE_TIME,
    },
  })
export type Inbox = z.output<typeof inbox>

const tag = "Inboxes"

export const createInbox = endpoint({
  name: "inboxes.create",
  call: "POST /inboxes",
  access: "full",
  tag,
  summary: "Create an inbox",
  description:
    "An address of a domain that receives. `*@domain` is the domain's catch-all: it takes what no other inbox takes.",
  example: () => inputExample,
  refuses: { conflict: `The team has the address, or ${MAX_INBOXES} inboxes.` },
  json: fields.extend({
    address: boundedText(320).transform(parsedBy(parseInboxAddress, "Must be an email address")),
    name: fields.shape.name.default(null),
    retentionDays: fields.shape.retentionDays.default(90),
  }),
  status: 201,
  response: inbox,
})

export const listInboxes = endpoint({
  name: "inboxes.list",
  call: "GET /inboxes",
  access: "full",
  tag,
  summary: "List inboxes, newest first",
  query: pageQuery,
  response: pageOf(inbox),
})

export const getInbox = endpoint({
  name: "inboxes.get",
  call: "GET /inboxes/:id",
  access: "full",
  tag,
  summary: "Read an inbox",
  response: inbox,
})

export const updateInbox = endpoint({
  name: "inboxes.update",
  call: "PATCH /inboxes/:id",
  access: "full",
  tag,
  summary: "Change an inbox",
  example: () => ({ name: "Help" }),
  json: atLeastOne(fields.partial()),
  response: inbox,
})

export const deleteInbox = endpoint({
  name: "inboxes.remove",
  call: "DELETE /inboxes/:id",
  access: "full",
  tag,
  summary: "Delete an inbox with its mail",
})
