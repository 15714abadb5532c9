import { type SQL, sql } from "drizzle-orm"
import { jsonFields } from "../../platform/db/json-rows.ts"
import type { Settings } from "../../platform/env.ts"
import { ERASED_HOST, erasedForm } from "../../suppressions/erased.ts"
import type { EventData } from "../contract.ts"
import { emails } from "../table.ts"

/**
 * What a report becomes if a recipient of its email has been erased meanwhile: its data without
 * personal data, and each of its recipients beside the erased form of the address.
 */
export function anonymize(settings: Settings, reported: EventData) {
  const { recipients, diagnosticCode: _, userAgent: __, ip: ___, url: ____, ...kept } = reported
  const { reason, ...anonymous } = kept
  return {
    anonymous: { ...anonymous, ...(reason && !/[@%]/.test(reason) && { reason }) } as EventData,
    addresses: recipients?.map((address) => [address, erasedForm(settings, address)] as const),
  }
}

const x = jsonFields<ReturnType<typeof anonymize> & { data: EventData }>("x", "->")

/** The data to store of the event `x` on the email. */
export const dataToStore = sql`case
  when not instr(${emails.recipients}, ${ERASED_HOST}) then ${x.data}
  when ${x.addresses} is null then ${x.anonymous}
  else json_set(${x.anonymous}, '$.recipients', (
    select json_group_array(${addressToStore(sql`r.value ->> 0`, sql`r.value ->> 1`)})
    from json_each(${x.addresses}) r))
end`

/** The address, or its erased form if the email has the erased form. */
export function addressToStore(address: SQL, erased: SQL): SQL {
  return sql`iif(instr(${emails.recipients}, ${erased}), ${erased}, ${address})`
}
