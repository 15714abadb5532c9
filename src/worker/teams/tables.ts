import { rows as apiKeys } from "../access/keys/table.ts"
import { rows as people } from "../access/people/table.ts"
import { rows as refusedCalls } from "../access/refused-calls/table.ts"
import { rows as layouts } from "../campaigns/layouts/table.ts"
import { rows as campaigns } from "../campaigns/table.ts"
import { rows as contactEvents } from "../contact-events/table.ts"
import { rows as confirmations } from "../contacts/confirmation/table.ts"
import { rows as contactImports } from "../contacts/import/table.ts"
import { rows as contactProperties } from "../contacts/properties/table.ts"
import { rows as contacts } from "../contacts/table.ts"
import { rows as domains } from "../domains/table.ts"
import { rows as sending } from "../emails/sending/table.ts"
import { rows as emails } from "../emails/table.ts"
import { rows as erasures } from "../erasure/table.ts"
import { rows as forms } from "../forms/table.ts"
import { rows as images } from "../images/table.ts"
import type { TableRows } from "../platform/db/rows.ts"
import { rows as installation } from "../platform/installation/table.ts"
import { rows as deadLetters } from "../platform/queues/table.ts"
import { rows as sandbox } from "../providers/sandbox/table.ts"
import { rows as received, uploadRows } from "../received/table.ts"
import { rows as removals } from "../removals/table.ts"
import { rows as segments } from "../segments/table.ts"
import { rows as sequences } from "../sequences/table.ts"
import { rows as stats } from "../stats/table.ts"
import { rows as stream } from "../stream/table.ts"
import { rows as suppressions } from "../suppressions/table.ts"
import { rows as templates } from "../templates/table.ts"
import { rows as topics } from "../topics/table.ts"
import { rows as views } from "../views/table.ts"
import { rows as webhookHours } from "../webhooks/counts/table.ts"
import { rows as webhooks } from "../webhooks/events/table.ts"
import { rows as auditLog } from "./audit/table.ts"
import { rows as deletion } from "./deletion/table.ts"
import { rows as moving } from "./moving/table.ts"
import { rows as notices } from "./notices/table.ts"
import { rows as teams } from "./table.ts"

/** All tables. A move that goes on after a deployment counts on this order: add new ones at an end. */
export const TABLES: readonly TableRows[] = [
  ...[apiKeys, teams, domains, emails, sandbox, campaigns, contacts, segments, topics, views],
  ...[suppressions, templates, layouts, images, erasures, removals, webhooks, stream, stats],
  ...[auditLog, notices, people, sending, deletion, moving, deadLetters, installation],
  ...[received],
  ...[contactEvents, sequences],
  ...[forms, confirmations],
  ...[refusedCalls, webhookHours],
  ...[uploadRows, contactProperties, contactImports],
].flat()
