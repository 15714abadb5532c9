import * as z from "zod"
import { formatMailbox } from "../../lib/address.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { atLeastOne, bareAddress, mailbox, title } from "../platform/http/shapes.ts"
import { IMPORT_MAX_CSV_BYTES, IMPORT_MAX_ERRORS, IMPORT_MAX_ROWS } from "./import/import-limits.ts"
import {
  columnMapping,
  contact,
  contactBook,
  importWarning,
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

export const importContacts = endpoint({
  name: "contactBooks.import",
  call: "POST /contact-books/:id/contacts/import",
  access: "full",
  tag: booksTag,
  summary: "Import contacts from CSV",
  description: `RFC 4180 with a header row, up to 2 MiB and ${IMPORT_MAX_ROWS} rows. Columns go by name, whatever the case: \`email\`, \`first_name\`, \`last_name\`, \`subscribed\`; every other one is a property, a string. \`subscribed\` is true, 1, yes, y, false, 0, no, n or empty. Of rows with the same address the last one counts; a "no" in any of them stands, and such an address is named in \`errors\`. A bad row is reported and fails no other; an import never resubscribes anyone, also nobody who has unsubscribed and was deleted since, and fires no contact events.

Any other column that may say who wants mail, by its name or its values (\`unsubscribed\`, \`status\`, \`opt_out\`), is read, too: a no counts, a new contact whose value is no clear yes is not subscribed, and \`warnings\` names the column. \`columns\` says what columns mean, by their names: \`email\`, \`firstName\`, \`lastName\`, \`subscribed\` (yes is a yes), \`unsubscribed\` (yes is a no), \`property\`, \`skip\`; or, for each value, \`subscribed\`, \`unsubscribed\`, \`bounced\`, \`complained\` (the two are suppressed, too) or \`skip\` (such rows are left out, and count as skipped), where \`*\` is any other value. Of several such columns, a no in any counts.

Columns \`properties.<name>\` and \`topics.<id>\` are what exports of the dashboard write: a property, whatever its name, and a choice of a topic.

With \`updateExisting\`, only what the file has columns for changes, and a row that changes nothing counts as updated.`,
  example: () => ({
    csv: "email,first_name,city,status\nada@example.com,Ada,London,active\nnobody,,,",
    columns: { status: { active: "subscribed", cancelled: "unsubscribed", bounced: "bounced" } },
  }),
  refuses: {
    validation_error: `Also over ${IMPORT_MAX_ROWS} rows, no email column, or no CSV at all.`,
  },
  json: z.object({
    csv: z.string().describe("The whole file, in UTF-8."),
    updateExisting: z
      .boolean()
      .default(true)
      .describe(
        "`false` leaves contacts that are in the book already, and counts them as skipped.",
      ),
    columns: columnMapping
      .default({})
      .describe("What columns mean, by their names, whatever the case."),
    subscribed: z
      .boolean()
      .default(true)
      .describe("`false`: nobody in the file wants mail. Contacts of the book lose their consent."),
    dryRun: z
      .boolean()
      .default(false)
      .describe("`true` stores nothing: the reply says what the same import would do now."),
  }),
  maxBytes: 2 * IMPORT_MAX_CSV_BYTES,
  response: z
    .object({
      imported: z.int(),
      updated: z.int(),
      skipped: z.int(),
      duplicates: z.int().describe("Rows that a later row with the same address replaced."),
      errors: z
        .array(z.object({ line: z.int(), email: z.string().nullable(), message: z.string() }))
        .describe(
          `The first ${IMPORT_MAX_ERRORS} rows that were left out, or whose address says both yes and no.`,
        ),
      suppressed: z
        .int()
        .optional()
        .describe("Addresses of bounces and complaints, with `columns` that name them."),
      warnings: z
        .array(importWarning)
        .optional()
        .describe(
          "Columns that may say who wants mail, where `columns` does not say what they mean.",
        ),
      subscribed: z
        .int()
        .optional()
        .describe("With `dryRun`: the new contacts that would be subscribed."),
    })
    .meta({
      example: {
        imported: 1,
        updated: 0,
        skipped: 0,
        duplicates: 0,
        errors: [{ line: 3, email: "nobody", message: "Must be an email address" }],
      },
    }),
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
