import { type SQL, type SQLWrapper, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import { fixedOfTeam, type Places, type ScopeText } from "../db/fixed.ts"
import { jsonbRows, jsonMembersOf, membersOf } from "../db/json-rows.ts"
import type { Stored } from "../db/overflow.ts"
import type { Ctx } from "../env.ts"
import { jsonChunks } from "../lib/json.ts"
import { isBlocked } from "../suppressions/blocking.ts"
import type { Item } from "./accept-item.ts"
import { type NewRecord, recipientRows, tagRows, toRecords } from "./accept-rows.ts"

export type StoredContent = Stored & { id: string }

const team = sql`caller.team_id`
const r = membersOf<NewRecord>("r")
const json = jsonMembersOf<NewRecord>("r")

/** The first of the names that is a verified domain of the team: `json_each` keeps their order. */
export const verifiedDomain = (names: SQL) => sql`(
  select d.id from json_each(${names}) name
  cross join domains d
    on d.name = name.value and d.team_id = ${team} and d.status = 'verified'
  limit 1
)`

/** The email `prior` was accepted with this idempotency key. */
export const isPrior = (key: SQLWrapper) => sql`
  prior.team_id = ${team} and prior.idempotency_key = ${key} and prior.idempotency_key is not null`

/** Inserts emails if all emails of the call may be sent and none was accepted before. */
const insertEmails = fixedOfTeam(
  (db, scope, p: Places<"records" | "senders" | "addresses" | "keys">) =>
    db.run(sql`
      insert into emails (
        team_id, id, status, sender, recipients, reply_to, subject, tags, domain_id, template_id,
        track_opens, track_clicks, override_suppression, idempotency_key, fingerprint,
        scheduled_at, created_at, not_before, due_at
      )
      with caller as materialized (${scope.callerRow}),
      sender as materialized (
        select json_group_array(${verifiedDomain(sql`x.value`)}) as domain_ids
        from caller cross join json_each(${p.senders}) x
      )
      select ${team}, ${r.id}, ${r.status}, ${json.sender}, ${json.recipients}, ${json.replyTo},
        ${r.subject}, ${json.tags}, sender.domain_ids ->> (${r.senderNumber}),
        ${r.templateId}, ${r.trackOpens}, ${r.trackClicks},
        ${r.overrideSuppression} and caller.permission = 'full', ${r.idempotencyKey},
        iif(caller.permission = 'full', ${r.fingerprint}, ${r.sendingOnlyFingerprint}),
        ${r.scheduledAt}, ${r.createdAt}, ${r.notBefore}, ${r.dueAt}
      from caller cross join sender cross join ${jsonbRows(p.records, "r")}
      where not exists (
          select 1 from json_each(sender.domain_ids)
          where value is null or value <> coalesce(caller.domain_id, value)
        )
        and not ${isBlocked({
          team,
          addresses: sql`select value ->> 0 as address, value ->> 1 as erased, value ->> 2 as override
            from json_each(${p.addresses})`,
          override: sql`(a.override and caller.permission = 'full')`,
        })}
        and not exists (
          select 1 from json_each(${p.keys}) k
          cross join emails prior on ${isPrior(sql`k.value ->> 0`)} and prior.id <> k.value ->> 1
        )`),
)

/** Rows for the tables beside the emails: none, if the first email of the call was not inserted. */
const fromAccepted = (scope: ScopeText, { first, rows }: Places<"first" | "rows">) => sql`
  from emails e cross join json_each(${rows}) x where e.team_id = ${scope.team} and e.id = ${first}`

const insertRecipients = fixedOfTeam((db, scope, p: Places<"first" | "rows">) =>
  db.run(sql`insert into email_recipients (team_id, email_id, address)
    select e.team_id, x.value ->> 0, x.value ->> 1 ${fromAccepted(scope, p)}`),
)

const insertTags = fixedOfTeam((db, scope, p: Places<"first" | "rows">) =>
  db.run(sql`insert into email_tags (team_id, email_id, tag)
    select e.team_id, x.value ->> 0, x.value ->> 1 ${fromAccepted(scope, p)}`),
)

const insertContents = fixedOfTeam((db, scope, p: Places<"first" | "rows">) =>
  db.run(sql`insert into email_contents (team_id, email_id, body, object_key)
    select e.team_id, x.value ->> 0, x.value ->> 1, x.value ->> 2 ${fromAccepted(scope, p)}`),
)

/** All emails of the call are inserted, or none: the first statement tells. */
export function inserts(ctx: Ctx, items: readonly Item[], contents: readonly StoredContent[]) {
  const first = items[0]?.id ?? ""
  const { records, ...asked } = toRecords(ctx, items)
  const [emails, ...moreEmails] = jsonChunks(records).map((chunk) =>
    insertEmails(ctx, { ...asked, records: chunk }),
  )
  const beside = (insert: typeof insertTags, rows: readonly unknown[]) =>
    jsonChunks(rows).map((chunk) => insert(ctx, { first, rows: chunk }))
  return {
    emails: emails as Query & ReturnType<typeof insertEmails>,
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
