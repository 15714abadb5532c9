import { sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { assignments } from "../../platform/db/columns.ts"
import { afterCommit } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import type { EmailRef } from "../messages.ts"
import { enqueueSends, type Sendable } from "../queue.ts"
import { emails, type Fault } from "../table.ts"

export interface Postponed extends EmailRef, Sendable {
  claim: string | null
  lease: number
  attempts: number
  unanswered: number
  fault: Fault | null
}

/**
 * Ends the lease of this claim early; an email without an answer keeps it. Only a refusal of the
 * message counts as an attempt.
 */
export const postpone = (work: Work, postponed: readonly Postponed[]) =>
  afterCommit(
    work.db.run(sql`
      update emails set ${assignments(emails, {
        notBefore: x.notBefore,
        lastError: sql`coalesce(${x.fault} ->> 'answer', ${emails.lastError})`,
        faults: sql`iif(${x.fault} is null, ${emails.faults},
          json_insert(${newestFaults}, '$[#]', json(${x.fault})))`,
        unanswered: x.unanswered,
        attempts: x.attempts,
      })}
      from ${jsonRows(postponed)}
      where ${emails.teamId} = ${x.teamId} and ${emails.id} = ${x.emailId}
        and ${emails.status} = 'sending'
        and ${emails.claimedBy} = ${x.claim} and ${emails.notBefore} = ${x.lease}`),
    () => enqueueSends(work, postponed),
  )

const x = jsonFields<Postponed>()

const FAULTS_KEPT = 100
const newestFaults = sql`iif(json_array_length(${emails.faults}) < ${FAULTS_KEPT},
  ${emails.faults}, json_remove(${emails.faults}, '$[0]'))`
