import { type SQL, sql } from "drizzle-orm"
import type { SuppressionReason } from "./contract.ts"
import { s } from "./table.ts"

/** A suppressed address that blocks an email. */
export interface Blocked {
  email: string
  reason: SuppressionReason
}

/**
 * `addresses` selects `address` and `erased`: the `erasedForm` of the address, or null for
 * recipients in the mail log, which has that form already.
 */
interface Mail {
  team: SQL
  addresses: SQL
  override: SQL
}

/**
 * The suppressions that block an email: any entry of its recipients, or only complaints if the email
 * overrides suppression. This is the only place of the rule.
 */
const blocking = ({ team, addresses, override }: Mail) => sql`
  from (${addresses}) a
  cross join suppressions s on ${s.teamId} = ${team} and ${s.email} in (a.address, a.erased)
  where ${s.reason} = 'complaint' or not ${override}`

/** As a JSON list of `Blocked`. */
export const blockingSuppressions = (mail: Mail) => sql`(
  select json_group_array(json_object('email', a.address, 'reason', ${s.reason})) ${blocking(mail)}
)`

export const isBlocked = (mail: Mail) => sql`exists (select 1 ${blocking(mail)})`
