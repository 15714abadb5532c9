import { type SQL, sql } from "drizzle-orm"
import { jsonFields } from "../../platform/db/json-rows.ts"
import type { Settings } from "../../platform/env.ts"
import { ERASED_HOST, erasedForm } from "../../suppressions/erased.ts"
import type { EventData } from "../contract.ts"
import { e } from "../table.ts"

/**
 * `late`: the report without personal data, kept where a recipient of its email has been erased
 * meanwhile. `concerned`: its recipients beside their erased forms.
 */
export function lateReport(settings: Settings, reported: EventData) {
  const { recipients, diagnosticCode: _, userAgent: __, ip: ___, url: ____, ...kept } = reported
  const { reason, ...late } = kept
  return {
    late: { ...late, ...(reason && !/[@%]/.test(reason) && { reason }) } as EventData,
    concerned: recipients?.map((address) => [address, erasedForm(settings, address)] as const),
  }
}

const x = jsonFields<ReturnType<typeof lateReport> & { data: EventData }>("x", "->")

/** The data to keep of the event `x` on the email `e`. */
export const keptData = sql`case
  when not instr(${e.recipients}, ${ERASED_HOST}) then ${x.data}
  when ${x.concerned} is null then ${x.late}
  else json_set(${x.late}, '$.recipients', (
    select json_group_array(${keptAddress(sql`r.value ->> 0`, sql`r.value ->> 1`)})
    from json_each(${x.concerned}) r))
end`

/** The address, or its erased form if the email `e` has the erased form. */
export function keptAddress(address: SQL, erased: SQL): SQL {
  return sql`iif(instr(${e.recipients}, ${erased}), ${erased}, ${address})`
}
