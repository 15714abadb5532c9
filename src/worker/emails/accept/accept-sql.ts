import { type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { jsonChunks } from "../../../lib/json.ts"
import { domains } from "../../domains/table.ts"
import type { Ctx, ScopeText } from "../../platform/context.ts"
import { caller } from "../../platform/db/caller.ts"
import type { Query } from "../../platform/db/client.ts"
import { insertInto, type ValuesOf } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import type { Stored } from "../../platform/db/overflow.ts"
import { type Placeholders, prepared } from "../../platform/db/prepared.ts"
import { isBlocked } from "../../suppressions/blocking.ts"
import { e, emailContents, emailRecipients, emails, emailTags } from "../table.ts"
import { type NewRecord, recipientRows, tagRows, toRecords } from "./accept-rows.ts"
import type { Item } from "./prepare.ts"

export type StoredContent = Stored & { id: string }

const team = caller.team_id
const d = alias(domains, "d")
export const prior = alias(emails, "prior")
const r = jsonFields<NewRecord>("r")
const json = jsonFields<NewRecord>("r", "->")

/** The first of the names that is a verified domain of the team: `json_each` keeps their order. */
export const verifiedDomain = (names: SQL) => sql`(
  select ${d.id} from json_each(${names}) name
  cross join domains d
    on ${d.name} = name.value and ${d.teamId} = ${team} and ${d.status} = 'verified'
  limit 1
)`

/** The email `prior` was accepted with this idempotency key. */
export const isPrior = (key: SQLWrapper) => sql`
  ${prior.teamId} = ${team} and ${prior.idempotencyKey} = ${key}
  and ${prior.idempotencyKey} is not null`

/** Inserts emails if all emails of the call may be sent and none was accepted before. */
const storeEmails = prepared(
  (db, p: Placeholders<"records" | "senders" | "addresses" | "keys">, scope: ScopeText) =>
    db.run(
      insertInto(
        emails,
        VALUES,
        sql`from caller cross join sender cross join ${jsonRows(p.records, "r", { parsedOnce: true })}
          where not exists (
            select 1 from json_each(sender.domain_ids)
            where value is null or value <> coalesce(${caller.domain_id}, value)
          )
          and not ${isBlocked({
            team,
            addresses: sql`select value ->> 0 as address, value ->> 1 as erased, value ->> 2 as override
              from json_each(${p.addresses})`,
            override: sql`(a.override and ${caller.permission} = 'full')`,
          })}
          and not exists (
            select 1 from json_each(${p.keys}) k
            cross join emails prior
              on ${isPrior(sql`k.value ->> 0`)} and ${prior.id} <> k.value ->> 1
          )`,
        {
          tables: sql`
            with caller as materialized (${scope.callerRow}),
            sender as materialized (
              select json_group_array(${verifiedDomain(sql`x.value`)}) as domain_ids
              from caller cross join json_each(${p.senders}) x
            )`,
        },
      ),
    ),
)

const VALUES = {
  teamId: team,
  id: r.id,
  status: r.status,
  sender: json.sender,
  recipients: json.recipients,
  replyTo: json.replyTo,
  subject: r.subject,
  tags: json.tags,
  domainId: sql`sender.domain_ids ->> (${r.senderNumber})`,
  templateId: r.templateId,
  trackOpens: r.trackOpens,
  trackClicks: r.trackClicks,
  overrideSuppression: sql`${r.overrideSuppression} and ${caller.permission} = 'full'`,
  idempotencyKey: r.idempotencyKey,
  fingerprint: sql`iif(${caller.permission} = 'full', ${r.fingerprint}, ${r.sendingOnlyFingerprint})`,
  scheduledAt: r.scheduledAt,
  createdAt: r.createdAt,
  notBefore: r.notBefore,
  dueAt: r.dueAt,
} satisfies ValuesOf<typeof emails>

/** Rows for the tables beside the emails: none, if the first email of the call was not inserted. */
const fromAccepted = (scope: ScopeText, { first, rows }: Placeholders<"first" | "rows">) => sql`
  from emails e cross join json_each(${rows}) x
  where ${e.teamId} = ${scope.team} and ${e.id} = ${first}`

const cell = (position: number) => sql.raw(`x.value ->> ${position}`)
const ofEmail = { teamId: e.teamId, emailId: cell(0) }

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
  const { records, ...asked } = toRecords(ctx.settings, items)
  const [emails, ...moreEmails] = jsonChunks(records).map((chunk) =>
    storeEmails(ctx, { ...asked, records: chunk }),
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
