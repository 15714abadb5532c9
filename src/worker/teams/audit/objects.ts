import { isNotNull, isNull, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { apiKeys } from "../../access/keys/table.ts"
import { invitations } from "../../access/people/table.ts"
import { layouts } from "../../campaigns/layouts/table.ts"
import { campaigns } from "../../campaigns/table.ts"
import { contactBooks } from "../../contacts/table.ts"
import { domains } from "../../domains/table.ts"
import { forms } from "../../forms/table.ts"
import { inboxes, receivedEmails, threads } from "../../received/table.ts"
import { segments } from "../../segments/table.ts"
import { sequences } from "../../sequences/table.ts"
import { suppressions } from "../../suppressions/table.ts"
import { templateDrafts, templates } from "../../templates/table.ts"
import { topics } from "../../topics/table.ts"
import { savedViews } from "../../views/table.ts"
import { webhooks } from "../../webhooks/events/table.ts"
import { teams } from "../table.ts"

export interface AuditedObject {
  table: SQLiteTable & { id: SQLiteColumn; teamId?: SQLiteColumn }
  label: SQLiteColumn | SQL.Aliased<string>
  by?: SQLiteColumn[]
  /** Where the object is before it is in the table. */
  orElse?: { table: SQLiteTable; id: SQLiteColumn; teamId: SQLiteColumn; label: SQL; where: SQL }
  /** A condition of the rows that count. */
  where?: SQL
  /** The fields whose changes are noted: no secrets and no contents. */
  fields: Record<string, SQLiteColumn>
  /** Fields whose values are not noted, only that they changed. */
  hidden?: string[]
}

/** The table, the label and the fields of an action's object, by the first part of its name. */
export const OBJECTS: Record<string, AuditedObject> = {
  apiKeys: {
    table: apiKeys,
    label: apiKeys.name,
    where: isNull(apiKeys.revokedAt),
    fields: pick(apiKeys, "name", "permission", "domainId"),
  },
  campaigns: {
    table: campaigns,
    label: campaigns.name,
    fields: pick(
      campaigns,
      "name",
      "status",
      "subject",
      "preheader",
      "bookId",
      "segmentId",
      "topicId",
      "domainId",
      "trackOpens",
      "trackClicks",
      "scheduledAt",
    ),
  },
  contactBooks: {
    table: contactBooks,
    label: contactBooks.name,
    fields: pick(contactBooks, "name", "defaultFrom"),
  },
  domains: {
    table: domains,
    label: domains.name,
    fields: pick(domains, "name", "status", "dnsMode", "receiving"),
  },
  forms: {
    table: forms,
    label: forms.name,
    fields: pick(
      forms,
      "name",
      "topicIds",
      "fields",
      "wording",
      "confirm",
      "doneUrl",
      "confirmedUrl",
      "origins",
      "enabled",
    ),
  },
  invitations: {
    table: invitations,
    label: invitations.email,
    fields: pick(invitations, "email", "role"),
  },
  layouts: { table: layouts, label: layouts.name, fields: pick(layouts, "name") },
  segments: { table: segments, label: segments.name, fields: pick(segments, "name", "filter") },
  suppressions: {
    table: suppressions,
    label: suppressions.email,
    by: [suppressions.email],
    fields: pick(suppressions, "reason", "note"),
  },
  team: {
    table: teams,
    label: teams.name,
    fields: pick(
      teams,
      "name",
      "postalAddress",
      "trackOpens",
      "trackClicks",
      "brand",
      "requireSecondFactor",
    ),
  },
  templates: {
    table: templates,
    label: templates.name,
    by: [templates.id, templates.slug],
    orElse: {
      table: templateDrafts,
      id: templateDrafts.templateId,
      teamId: templateDrafts.teamId,
      label: sql`${templateDrafts.content} ->> 'name'`,
      where: isNotNull(templateDrafts.slug),
    },
    fields: pick(templates, "name", "slug", "subject", "version"),
  },
  sequences: {
    table: sequences,
    label: sequences.name,
    fields: pick(sequences, "name", "status", "version", "topicId", "domainId", "entry"),
  },
  topics: {
    table: topics,
    label: topics.name,
    fields: pick(topics, "name", "description", "default"),
  },
  views: { table: savedViews, label: savedViews.name, fields: pick(savedViews, "name", "query") },
  inboxes: {
    table: inboxes,
    label: inboxes.address,
    where: isNull(inboxes.deletedAt),
    fields: pick(inboxes, "address", "name", "retentionDays"),
  },
  threads: {
    table: threads,
    label: threads.inboxId,
    fields: pick(threads, "state"),
  },
  receivedEmails: {
    table: receivedEmails,
    label: receivedEmails.inboxId,
    fields: pick(receivedEmails, "read"),
  },
  webhooks: {
    table: webhooks,
    label: sql<string>`coalesce(${webhooks.name}, ${webhooks.url})`.as("label"),
    fields: pick(webhooks, "name", "url", "events", "enabled", "format"),
    // Its path and its query may hold a secret.
    hidden: ["url"],
  },
}

function pick<T extends object, Name extends keyof T>(table: T, ...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<T, Name> &
    Record<string, SQLiteColumn>
}
