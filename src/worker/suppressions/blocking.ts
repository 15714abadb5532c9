import { type SQL, sql } from "drizzle-orm"
import type { SuppressionReason } from "./contract.ts"
import { suppressions } from "./table.ts"

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
 * The suppressions that block an email, as a JSON list of `Blocked`: any entry of its recipients, or
 * only complaints if the email overrides suppression. This is the only place of the rule.
 */
export const blockingSuppressions = ({ team, addresses, override }: Mail) => sql`(
  select json_group_array(json_object('email', a.address, 'reason', ${suppressions.reason}))
  from (${addresses}) a
  cross join suppressions on ${suppressions.teamId} = ${team}
    and ${suppressions.email} in (a.address, a.erased)
  where ${suppressions.reason} = 'complaint' or not ${override}
)`
