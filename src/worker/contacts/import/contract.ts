import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { columnMapping, importWarning } from "../shapes.ts"
import { IMPORT_MAX_CSV_BYTES, IMPORT_MAX_ERRORS, IMPORT_MAX_ROWS } from "./import-limits.ts"

export const importContacts = endpoint({
  name: "contactBooks.import",
  call: "POST /contact-books/:id/contacts/import",
  access: "full",
  tag: "Contact books",
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
