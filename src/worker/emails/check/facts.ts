import { sql } from "drizzle-orm"
import { domainAndParents, domainOf } from "../../../lib/address.ts"
import { contactBooks, contacts } from "../../contacts/table.ts"
import type { DOMAIN_STATUSES } from "../../domains/contract.ts"
import { domains } from "../../domains/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import type { SuppressionReason } from "../../suppressions/contract.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { suppressions } from "../../suppressions/table.ts"
import { addressesOf } from "../accept/prepare.ts"
import type { SendInput } from "../send-input.ts"

export interface Listed {
  address: string
  reason: SuppressionReason
  since: number
  sourceEmailId: string | null
}

export interface SenderDomain {
  id: string
  name: string
  status: (typeof DOMAIN_STATUSES)[number]
}

/** How many of the newest rows a query without an index reads. */
const LOOKED_THROUGH = 100

/** The entries of the suppression list that name a recipient. */
export function selectListed(ctx: Ctx, input: SendInput) {
  const addresses = addressesOf(input).map((address) => [
    address,
    erasedForm(ctx.settings, address),
  ])
  return ctx.db.all<Listed>(sql`
    select a.value ->> 0 as address, ${suppressions.reason}, ${suppressions.createdAt} as since,
      ${suppressions.sourceEmailId} as sourceEmailId
    from json_each(${JSON.stringify(addresses)}) a
    cross join suppressions
      on ${suppressions.teamId} = ${ctx.team} and ${suppressions.email} in (a.value ->> 0, a.value ->> 1)`)
}

/** The team's domains that `from` is on, the one with the longest name first. */
export function selectDomains(ctx: Ctx, { from }: Pick<SendInput, "from">) {
  const names = JSON.stringify(domainAndParents(domainOf(from.address)))
  return ctx.db.all<SenderDomain>(sql`
    select id, name, status from (
      select ${domains.id}, ${domains.name}, ${domains.status} from json_each(${names}) n
      cross join domains
        on ${domains.name} = n.value and ${domains.teamId} = ${ctx.team}
          and ${domains.status} in ('pending', 'verified')
      union all
      select id, name, status from (
        select ${domains.id}, ${domains.name}, ${domains.status} from ${domains}
        where ${domains.teamId} = ${ctx.team} order by ${domains.id} desc limit +${LOOKED_THROUGH}
      ) where status = 'failed' and name in (select value from json_each(${names}))
    ) order by length(name) desc, status desc, id desc`)
}

/** How many recipients are contacts in a book of the team. */
export const selectBooked = (ctx: Ctx, input: SendInput) =>
  ctx.db.all<{ count: number }>(sql`
    select count(distinct ${contacts.email}) as count
    from (
      select ${contactBooks.id} from ${contactBooks} where ${contactBooks.teamId} = ${ctx.team}
      order by ${contactBooks.id} desc limit +${LOOKED_THROUGH}
    ) book
    cross join contacts on ${contacts.teamId} = ${ctx.team} and ${contacts.bookId} = book.id
      and ${isOneOf(contacts.email, addressesOf(input))}`)
