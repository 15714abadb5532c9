import { type SQL, sql } from "drizzle-orm"
import type { SuppressionReason } from "./contract.ts"

/** A suppressed address that blocks an email. */
export interface Blocked {
  email: string
  reason: SuppressionReason
}

/**
 * The suppressions that block an email, as a JSON list of `Blocked`: any entry of its recipients, or
 * only complaints if the email overrides suppression. The rule stands here alone. `addresses` selects
 * `address` and `erased`: the `erasedForm` of the address, or null for recipients in the mail log,
 * which has that form already.
 */
export const blockingSuppressions = (email: { team: SQL; addresses: SQL; override: SQL }) => sql`(
  select json_group_array(json_object('email', a.address, 'reason', s.reason))
  from (${email.addresses}) a
  cross join suppressions s on s.team_id = ${email.team} and s.email in (a.address, a.erased)
  where s.reason = 'complaint' or not ${email.override}
)`
