import { type SQL, sql } from "drizzle-orm"

/** The providers of mailboxes that an address names by its domain. `yahoo.*` is any country's. */
const MAILBOXES: Record<string, readonly string[]> = {
  Gmail: ["gmail.com", "googlemail.com"],
  Microsoft: ["outlook.*", "hotmail.*", "live.*", "msn.com"],
  Yahoo: ["yahoo.*", "ymail.com", "rocketmail.com", "aol.com"],
  Apple: ["icloud.com", "me.com", "mac.com"],
  Proton: ["proton.me", "protonmail.com", "pm.me"],
  "GMX and WEB.DE": ["gmx.*", "web.de"],
}

/** The provider of an address's mailbox; null without an address. */
export function mailboxOf(address: SQL): SQL {
  const domain = sql`substr(${address}, instr(${address}, '@') + 1)`
  const cases = Object.entries(MAILBOXES).flatMap(([name, domains]) =>
    domains.map((one) => sql.raw(`when domain glob '${one}' then '${name}'`)),
  )
  return sql`(select case when domain is null then null ${sql.join(cases, sql` `)} else 'Other' end
    from (select lower(${domain}) as domain))`
}

const STEPS_A_DOUBLING = 4

/** The step of a time in milliseconds. Steps grow by 19 percent. */
export const timeStepOf = (ms: SQL) =>
  sql`cast(round(${sql.raw(String(STEPS_A_DOUBLING))} * log2(max(${ms}, 1))) as integer)`

/** The time in the middle of a step. */
export const msOfStep = (step: number) => Math.round(2 ** (step / STEPS_A_DOUBLING))
