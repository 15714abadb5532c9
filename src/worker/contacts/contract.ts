import * as z from "zod"
import { formatMailbox } from "../../lib/address.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { OTHER_DOMAIN } from "../platform/http/errors.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { atLeastOne, bareAddress, mailbox, title } from "../platform/http/shapes.ts"
import {
  contact,
  contactBook,
  personName,
  properties,
  topicChanges,
  topicChoices,
} from "./shapes.ts"

const MAX_REASON_CHARACTERS = 500

const booksTag = "Contact books"
const tag = "Contacts"

const bookFields = z.object({
  name: title(200),
  defaultFrom: mailbox.transform(formatMailbox).nullable(),
})

export const createContactBook = endpoint({
  name: "contactBooks.create",
  call: "POST /contact-books",
  access: "full",
  tag: booksTag,
  summary: "Create a contact book",
  example: () => ({ name: "Readers", defaultFrom: "News <news@demo.test>" }),
  refuses: { forbidden: OTHER_DOMAIN },
  json: bookFields.extend({ defaultFrom: bookFields.shape.defaultFrom.default(null) }),
  status: 201,
  response: contactBook,
})

export const listContactBooks = endpoint({
  name: "contactBooks.list",
  call: "GET /contact-books",
  access: "full",
  tag: booksTag,
  summary: "List contact books, newest first",
  query: pageQuery,
  response: pageOf(contactBook),
})

export const getContactBook = endpoint({
  name: "contactBooks.get",
  call: "GET /contact-books/:id",
  access: "full",
  tag: booksTag,
  summary: "Read a contact book",
  response: contactBook,
})

export const updateContactBook = endpoint({
  name: "contactBooks.update",
  call: "PATCH /contact-books/:id",
  access: "full",
  tag: booksTag,
  summary: "Rename a contact book, or change its sender",
  example: () => ({ name: "Subscribers", defaultFrom: null }),
  refuses: {
    forbidden: OTHER_DOMAIN,
    conflict: "`defaultFrom` is null, and the book has forms: their mail needs a sender.",
  },
  json: atLeastOne(bookFields.partial()),
  response: contactBook,
})

export const deleteContactBook = endpoint({
  name: "contactBooks.remove",
  call: "DELETE /contact-books/:id",
  access: "full",
  tag: booksTag,
  summary: "Delete a contact book and every contact in it",
})

const contactFields = z.object({
  email: bareAddress,
  firstName: personName,
  lastName: personName,
  properties,
  subscribed: z.boolean(),
  topics: topicChanges,
})

export const createContact = endpoint({
  name: "contacts.create",
  call: "POST /contact-books/:id/contacts",
  access: "full",
  tag,
  summary: "Add a contact to a book",
  example: () => ({
    email: "ada@example.com",
    firstName: "Ada",
    properties: { city: "London" },
  }),
  description:
    "An address that another book of the team holds brings the choices of topics that it has made there.",
  refuses: {
    forbidden: "With `confirm`, the key is restricted to another domain.",
    validation_error: "Also an unknown topic.",
    conflict: "The address is in this book already. With `confirm`, the book has no `defaultFrom`.",
  },
  json: contactFields.extend({
    firstName: contactFields.shape.firstName.default(null),
    lastName: contactFields.shape.lastName.default(null),
    properties: contactFields.shape.properties.default({}),
    subscribed: contactFields.shape.subscribed.default(true),
    topics: topicChoices.default({}),
    confirm: z
      .boolean()
      .default(false)
      .describe(
        "`true` asks the person by mail: the contact is `pending`, and not subscribed, until the link of that mail is used. Its yes to topics counts from then on, too.",
      ),
  }),
  authenticatesItself: true,
  status: 201,
  response: contact,
})

export const listContacts = endpoint({
  name: "contacts.list",
  call: "GET /contact-books/:id/contacts",
  access: "full",
  tag,
  summary: "List or search the contacts of a book",
  description:
    "Newest first. With `q`, those whose address starts with it come first, by address; then, by name, those whose name or last name does. Such a page looks at no more than `limit` matches, and leaves out what it listed before and what `subscribed` excludes: it may be short, even empty, and still have a `nextCursor`.",
  query: pageQuery.extend({
    q: z
      .string()
      .trim()
      .min(1)
      .max(120)
      .optional()
      .describe("The start of an address or a name, whatever the case."),
    subscribed: z
      .enum(["true", "false"])
      .transform((text) => text === "true")
      .optional(),
  }),
  response: pageOf(contact),
})

export const getContact = endpoint({
  name: "contacts.get",
  call: "GET /contact-books/:id/contacts/:contactId",
  access: "full",
  tag,
  summary: "Read a contact",
  response: contact,
})

export const updateContact = endpoint({
  name: "contacts.update",
  call: "PATCH /contact-books/:id/contacts/:contactId",
  access: "full",
  tag,
  summary: "Change a contact",
  description: "`properties` replaces the object as a whole, `topics` only the choices it names.",
  example: () => ({ firstName: "Ada", properties: { city: "Paris" } }),
  refuses: {
    validation_error: "Also an unknown topic.",
    conflict:
      "Another contact of this book has the address. A pending contact is subscribed by the person alone.",
  },
  json: atLeastOne(contactFields.partial()),
  authenticatesItself: true,
  response: contact,
})

export const deleteContact = endpoint({
  name: "contacts.remove",
  call: "DELETE /contact-books/:id/contacts/:contactId",
  access: "full",
  tag,
  summary: "Remove a contact from its book",
})

export const unsubscribeContacts = endpoint({
  name: "contacts.unsubscribe",
  call: "POST /contacts/unsubscribe",
  access: "full",
  tag,
  summary: "Unsubscribe an address in one book or in all",
  description:
    "Records consent only: no suppression is written, so the address still receives transactional mail.",
  example: () => ({ email: "ada@example.com" }),
  json: z.object({
    email: bareAddress,
    bookId: z.string().optional().describe("By default in every book of the team."),
    reason: title(MAX_REASON_CHARACTERS).optional(),
  }),
  retryable: true,
  response: z
    .object({
      unsubscribed: z.int().describe("Contacts changed: 0 when all were unsubscribed already."),
    })
    .meta({ example: { unsubscribed: 1 } }),
})
