import { CLOCKS_APART_MS } from "../../../lib/time.ts"
import { LONGEST_LEASE_MS } from "../../emails/sending/claim.ts"
import { selectLeased as selectLeasedEmail } from "../../emails/sending/open-emails.ts"
import type { Work } from "../../platform/context.ts"
import { selectLeased as selectLeasedReceived } from "../../received/taking/claim.ts"
import { selectLeased as selectLeasedDelivery } from "../../webhooks/deliveries/due.ts"

/** Whether a consumer may still send mail of the team, or attempt its deliveries. Nobody takes leases now. */
export async function hasLeases(work: Work, teamId: string): Promise<boolean> {
  const ends = {
    after: work.now() - CLOCKS_APART_MS,
    before: work.now() + LONGEST_LEASE_MS + CLOCKS_APART_MS,
  }
  const leased = await work.db.batch([
    selectLeasedEmail(work, teamId, ends),
    selectLeasedDelivery(work, teamId, ends),
    selectLeasedReceived(work, teamId, ends),
  ])
  return leased.some((rows) => rows.length > 0)
}
