import { sql } from "drizzle-orm"
import { domainOf } from "../../../lib/address.ts"
import { timeOf } from "../../../lib/id.ts"
import { jsonChunks } from "../../../lib/json.ts"
import { CLOCKS_APART_MS } from "../../../lib/time.ts"
import type { Ctx, ScopeText } from "../../platform/context.ts"
import { caller } from "../../platform/db/caller.ts"
import type { Query } from "../../platform/db/client.ts"
import { insertInto, type ValuesOf } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import type { Stored } from "../../platform/db/overflow.ts"
import { type Placeholders, prepared } from "../../platform/db/prepared.ts"
import { ERASED_HOST, erasedForm } from "../../suppressions/erased.ts"
import { emailContents, emailRecipients, emails, emailTags } from "../table.ts"
import { storedWords } from "../word-index/subject-words.ts"
import { addressesOf, type Item, recipientsOf } from "./prepare.ts"
import { byPermission, findings, reason, toAsked } from "./verdict.ts"

export type StoredContent = Stored & { id: string }

const r = jsonFields<NewRecord>("r")
const json = jsonFields<NewRecord>("r", "->")

/** Inserts emails if nothing speaks against any email of the call. */
const storeEmails = prepared((db, p: Placeholders<"records" | "asked">, scope: ScopeText) =>
  db.run(
    insertInto(
      emails,
      VALUES,
      sql`from caller cross join verdict cross join ${jsonRows(p.records, "r", { parsedOnce: true })}
        where verdict.reasons = 0`,
      {
        tables: sql`
          with caller as materialized (${scope.callerRow}), ${findings(p.asked)},
          verdict as materialized (
            select json_group_array(domain_id) as domain_ids, count(${reason}) as reasons from finding
          )`,
      },
    ),
  ),
)

const VALUES = {
  teamId: caller.team_id,
  id: r.id,
  status: r.status,
  sender: json.sender,
  recipients: json.recipients,
  replyTo: json.replyTo,
  subject: r.subject,
  tags: json.tags,
  domainId: sql`verdict.domain_ids ->> (${r.group})`,
  templateId: r.templateId,
  trackOpens: r.trackOpens,
  trackClicks: r.trackClicks,
  overrideSuppression: byPermission(r.overrideSuppression, sql`0`),
  skipsSuppressed: r.skipsSuppressed,
  idempotencyKey: r.idempotencyKey,
  fingerprint: byPermission(r.fingerprint, r.sendingOnlyFingerprint),
  scheduledAt: r.scheduledAt,
  createdAt: r.createdAt,
  notBefore: r.notBefore,
  dueAt: r.dueAt,
  keyId: caller.key_id,
  subjectWords: r.subjectWords,
} satisfies ValuesOf<typeof emails>

/** Rows for the tables beside the emails: none, if the first email of the call was not inserted. */
const fromAccepted = (scope: ScopeText, { first, rows }: Placeholders<"first" | "rows">) => sql`
  from emails cross join json_each(${rows}) x
  where ${emails.teamId} = ${scope.team} and ${emails.id} = ${first}`

const cell = (position: number) => sql.raw(`x.value ->> ${position}`)
const ofEmail = { teamId: emails.teamId, emailId: cell(0) }

const insertRecipients = prepared((db, p: Placeholders<"first" | "rows">, scope: ScopeText) =>
  db.run(insertInto(emailRecipients, { ...ofEmail, address: cell(1) }, fromAccepted(scope, p))),
)

const insertTags = prepared((db, p: Placeholders<"first" | "rows">, scope: ScopeText) =>
  db.run(insertInto(emailTags, { ...ofEmail, tag: cell(1) }, fromAccepted(scope, p))),
)

const insertContents = prepared((db, p: Placeholders<"first" | "rows">, scope: ScopeText) =>
  db.run(
    insertInto(
      emailContents,
      { ...ofEmail, body: cell(1), objectKey: cell(2) },
      fromAccepted(scope, p),
    ),
  ),
)

/** All emails of the call are inserted, or none. The result of `emails` tells which. */
export function inserts(ctx: Ctx, items: readonly Item[], contents: readonly StoredContent[]) {
  const first = items[0]?.id ?? ""
  const { records, asked } = toRecords(ctx, items)
  const [emails, ...moreEmails] = jsonChunks(records).map((chunk) =>
    storeEmails(ctx, { asked, records: chunk }),
  )
  const beside = (insert: typeof insertTags, rows: readonly unknown[]) =>
    jsonChunks(rows).map((chunk) => insert(ctx, { first, rows: chunk }))
  return {
    emails: emails as Query & ReturnType<typeof storeEmails>,
    beside: [
      ...moreEmails,
      ...beside(insertRecipients, items.flatMap(recipientRows)),
      ...beside(
        insertContents,
        contents.map(({ id, body, objectKey }) => [id, body, objectKey]),
      ),
      ...beside(insertTags, items.flatMap(tagRows)),
    ],
  }
}

type NewRecord = ReturnType<typeof toRecord>

/** The emails of a call as rows, and what the findings on them depend on, each once. */
function toRecords(ctx: Pick<Ctx, "settings">, items: readonly Item[]) {
  const groups = Map.groupBy(
    items,
    ({ input: { from, overrideSuppression, onSuppressed } }) =>
      `${domainOf(from.address)} ${overrideSuppression} ${onSuppressed}`,
  )
  return {
    records: [...groups.values()].flatMap((members, group) =>
      members.map((item) => toRecord(ctx, item, group)),
    ),
    asked: JSON.stringify([...groups.values()].map((members) => toAsked(ctx, members))),
  }
}

function toRecord({ settings }: Pick<Ctx, "settings">, item: Item, group: number) {
  const { input, composed, scheduled, notBefore } = item
  const message = composed.ok ? composed.message : undefined
  const skips = input.onSuppressed === "skip"
  return {
    id: item.id,
    status: scheduled ? "scheduled" : "queued",
    sender: input.from,
    group,
    recipients: recipientsOf(input).map((one) =>
      skips ? { ...one, hash: hashOf(settings, one.address) } : one,
    ),
    replyTo: input.replyTo,
    subject: message?.subject,
    subjectWords: storedWords(message?.subject ?? ""),
    templateId: message?.templateId,
    tags: input.tags,
    trackOpens: input.trackOpens,
    trackClicks: input.trackClicks,
    overrideSuppression: input.overrideSuppression,
    skipsSuppressed: skips,
    idempotencyKey: input.idempotencyKey,
    fingerprint: item.fingerprint,
    sendingOnlyFingerprint: item.sendingOnlyFingerprint,
    scheduledAt: scheduled ? notBefore : null,
    createdAt: timeOf(item.id),
    // A consumer whose clock is behind may take a queued email, too.
    notBefore: scheduled ? notBefore : notBefore - CLOCKS_APART_MS,
    dueAt: notBefore,
  }
}

const hashOf = (settings: Ctx["settings"], address: string) =>
  erasedForm(settings, address).slice(0, -ERASED_HOST.length)

const recipientRows = ({ id, input }: Item) => addressesOf(input).map((address) => [id, address])

/** Two rows a tag: its key, and the key with the value. */
const tagRows = ({ id, input }: Item) =>
  Object.entries(input.tags).flatMap(([key, value]) => [
    [id, key],
    [id, `${key}:${value}`],
  ])
