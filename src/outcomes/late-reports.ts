import { type SQL, sql } from "drizzle-orm"
import type { EventData } from "../emails/contract.ts"
import { ERASED_HOST, erasedForm } from "../suppressions/erased.ts"

/**
 * A report as it is kept where a recipient of its email has been erased meanwhile: without what
 * names a person, and, in `concerned`, its recipients beside their erased forms.
 */
export function lateReport(reported: EventData) {
  const { recipients, diagnosticCode: _, userAgent: __, ip: ___, url: ____, ...kept } = reported
  const { reason, ...late } = kept
  return {
    late: { ...late, ...(reason && !/[@%]/.test(reason) && { reason }) } as EventData,
    concerned: recipients?.map((address) => [address, erasedForm(address)] as const),
  }
}

/** The data to keep of the event `x` on the email `e`. */
export const keptData = sql`case
  when not instr(e.recipients, ${ERASED_HOST}) then x.value -> 'data'
  when x.value -> 'concerned' is null then x.value -> 'late'
  else json_set(x.value -> 'late', '$.recipients', (
    select json_group_array(${keptAddress(sql`r.value ->> 0`, sql`r.value ->> 1`)})
    from json_each(x.value, '$.concerned') r))
end`

/** An address of the email `e` as its record has it. */
export function keptAddress(address: SQL, erased: SQL): SQL {
  return sql`iif(instr(e.recipients, ${erased}), ${erased}, ${address})`
}
