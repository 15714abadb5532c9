import { type SQL, sql } from "drizzle-orm"
import { domainOf } from "../../../lib/address.ts"
import { domainClaims, domains } from "../../domains/table.ts"
import { emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { DIRECTORY, databaseNumbers, workIn } from "../../platform/db/databases.ts"
import { teams } from "../../teams/table.ts"
import { readForwardingAddress } from "../forwarding.ts"
import { type ReportAddress, readReportAddress } from "../reading/report-addresses.ts"
import { inboxes } from "../table.ts"

export interface Recipient {
  teamId: string
  inboxId: string
}

/** A domain that is being proven again may be another team's tomorrow: the sender has to try again. */
export class NotNow extends Error {
  override name = "NotNow"
}

/** The inbox that takes mail to an address, and the work in its database. Null if there is none. */
export async function findInbox(
  work: Work,
  address: string,
): Promise<(Recipient & { work: Work }) | null> {
  const forwarded = readForwardingAddress(work, address)
  const all = databaseNumbers(work.env)
  const numbers = forwarded
    ? all.filter((number) => number === forwarded.database)
    : readReportAddress(work.settings, address)
      ? all
      : await databasesOf(work, domainOf(address))
  const found = await Promise.all(
    numbers.map(async (number) => {
      const there = workIn(work, number)
      const rows = await there.db.all<Found>(selectRecipients(there, address))
      return rows.map((row) => ({ ...row, work: there }))
    }),
  )
  const recipients = found.flat()
  const recipient = recipients.find(({ isVerified }) => isVerified)
  if (!recipient && recipients.length > 0) throw new NotNow("The domain is not verified right now")
  return recipient ?? null
}

/** Where teams are that add the name. Those of the directory need no claim. */
async function databasesOf({ directory }: Work, name: string): Promise<number[]> {
  const claims = await directory.all<{ database: number }>(sql`
    select distinct ${domainClaims.database} as database from ${domainClaims}
    where ${domainClaims.name} = ${name}`)
  return [...new Set([DIRECTORY, ...claims.map(({ database }) => database)])]
}

interface Found extends Recipient {
  isVerified: 0 | 1
}

/** For one team, or for all of a database: the address's own inbox comes before the catch-all. */
export function selectRecipients(work: Work, address: string, team?: SQL): SQL {
  const report = readReportAddress(work.settings, address)
  if (report) return selectReportInbox(report, team)
  const forwarded = readForwardingAddress(work, address)
  const isAsked = forwarded
    ? sql`${inboxes.id} = ${forwarded.inboxId} and ${domains.receiving} ->> 'mode' = 'forward'`
    : sql`${inboxes.address} in (${address}, ${`*@${domainOf(address)}`})
        and ${domains.receiving} ->> 'mode' <> 'off'`
  return sql`
    select ${inboxes.teamId} as teamId, ${inboxes.id} as inboxId,
      ${domains.status} = 'verified' as isVerified
    from ${inboxes} join ${domains}
      on ${domains.teamId} = ${inboxes.teamId} and ${domains.id} = ${inboxes.domainId}
    where ${isAsked} and ${inboxes.deletedAt} is null and ${team ? sql`${inboxes.teamId} = ${team}` : sql`true`}
    order by ${inboxes.address} = ${address} desc`
}

/** What comes about a sent email goes to an inbox of its domain, or else to another one of its team. */
const selectReportInbox = ({ emailId, teams: { from, to } }: ReportAddress, team?: SQL) => sql`
  select ${teams.id} as teamId, ${inboxes.id} as inboxId, 1 as isVerified
  from ${teams}
  cross join emails on ${emails.teamId} = ${teams.id} and ${emails.id} = ${emailId}
  cross join inboxes on ${inboxes.teamId} = ${teams.id} and ${inboxes.deletedAt} is null
  where ${teams.id} between ${from} and ${to} and ${team ? sql`${teams.id} = ${team}` : sql`true`}
  order by ${inboxes.domainId} = ${emails.domainId} desc, ${inboxes.id} limit 1`
