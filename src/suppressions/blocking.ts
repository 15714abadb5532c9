import { type SQL, sql } from "drizzle-orm"
import type { SuppressionReason } from "./contract.ts"

/** A suppressed address that keeps an email from being sent. */
export interface Blocked {
  email: string
  reason: SuppressionReason
}

/**
 * The suppressions that block an email, as a JSON list of `Blocked`: any entry of its recipients,
 * or complaints alone where it overrides suppression. The one place of this rule.
 */
export const blockingSuppressions = (email: { team: SQL; addresses: SQL; override: SQL }) => sql`(
  select json_group_array(json_object('email', s.email, 'reason', s.reason))
  from (${email.addresses}) a
  cross join suppressions s on s.team_id = ${email.team} and s.email = a.address
  where s.reason = 'complaint' or not ${email.override}
)`
