import type { SentCampaign } from "../audience.ts"
import { IMPORTED } from "../readers.ts"
import type { Member } from "../scenario.ts"
import { difference, rows } from "./rows.ts"

const COUNTED = ["sent", "delivered", "bounced", "complained", "failed", "opened", "clicked"]

export const countsOfLog = async (teamId: string, campaignId?: string) => {
  const counted = await rows(
    `select v.type, count(distinct v.email_id) as count from email_events v
     join emails e on e.team_id = v.team_id and e.id = v.email_id
     where v.team_id = ?1 and (?2 is null or e.campaign_id = ?2) group by v.type`,
    teamId,
    campaignId ?? null,
  )
  const countOf = new Map(counted.map(({ type, count }) => [type, count]))
  return JSON.stringify(COUNTED.map((type) => [type, countOf.get(type) ?? 0]))
}

export async function countsOfDays(teamId: string) {
  const [days] = await rows(
    `select ${COUNTED.map((type) => `coalesce(sum(${type}), 0) as ${type}`).join(", ")}
     from stats_days where team_id = ?`,
    teamId,
  )
  return JSON.stringify(COUNTED.map((type) => [type, days?.[type]]))
}

export async function checkCounters({ team }: Member): Promise<string[]> {
  const counted = await countsOfDays(team.id)
  const logged = await countsOfLog(team.id)
  return counted === logged ? [] : [`the days count ${counted}, the log has ${logged}`]
}

export async function checkSuppressions({ team }: Member): Promise<string[]> {
  const listed = await rows("select email, reason from suppressions where team_id = ?", team.id)
  const due = await rows(
    `select distinct r.value as email, iif(v.type = 'bounced', 'bounce', 'complaint') as reason
     from email_events v, json_each(v.data, '$.recipients') r where v.team_id = ? and (
       (v.type = 'bounced' and v.data ->> 'bounceType' = 'Permanent')
       or (v.type = 'complained' and v.data ->> 'complaintFeedbackType' <> 'not-spam'))`,
    team.id,
  )
  return difference(
    listed.map(({ email, reason }) => `${email} as ${reason}`),
    due.map(({ email, reason }) => `${email} as ${reason}`),
    "suppressed without cause",
    "not suppressed",
  )
}

export const countsOfRun = async (campaignId: string) => {
  const [run] = await rows("select * from campaign_runs where campaign_id = ?", campaignId)
  return { run, counted: JSON.stringify(COUNTED.map((type) => [type, run?.[type]])) }
}

export async function checkCampaigns({ team, campaigns }: Member): Promise<string[]> {
  const wrongs = campaigns.map(async (sent) => {
    const { id, isCancelled } = sent
    const { run, counted } = await countsOfRun(id)
    const [campaign] = await rows("select status from campaigns where id = ?", id)
    const emails = await rows("select contact_id, recipients from emails where campaign_id = ?", id)
    const mailed = emails.map(({ recipients }) => JSON.parse(recipients)[0].address as string)
    const told = await rows(
      "select type from events where team_id = ? and data ->> '$.campaign.id' = ? order by sequence",
      team.id,
      id,
    )
    const contactsMailed = new Set(emails.map(({ contact_id }) => contact_id)).size
    const logged = await countsOfLog(team.id, id)
    const expected = isCancelled
      ? "cancelled, told: "
      : "sent, told: campaign.sent campaign.completed"
    const actual = `${campaign?.status}, told: ${told.map(({ type }) => type).join(" ")}`
    return [
      ...(contactsMailed === emails.length ? [] : [`${id} mailed a contact twice`]),
      ...checkAudience(sent, mailed),
      ...(run?.recipients === emails.length ? [] : [`${id} counts ${run?.recipients} recipients`]),
      ...(run?.open === 0 ? [] : [`${id} has ${run?.open} open emails`]),
      ...(counted === logged ? [] : [`${id} counts ${counted}, the log has ${logged}`]),
      ...(actual === expected ? [] : [`${id} is ${actual}`]),
    ]
  })
  return (await Promise.all(wrongs)).flat()
}

function checkAudience({ id, isCancelled, always, maybe }: SentCampaign, mailed: string[]) {
  const missed = isCancelled ? [] : always.filter((address) => !mailed.includes(address))
  const strangers = mailed.filter((address) => ![...always, ...maybe].includes(address))
  return [
    ...missed.map((address) => `${id} did not mail ${address}`),
    ...strangers.map((address) => `${id} mailed ${address}, who is not to get it`),
  ]
}

/** A book counts its contacts, whatever died while files were imported or contacts changed. */
export async function checkBooks({ team, importedTo }: Member): Promise<string[]> {
  const books = await rows(
    `select b.id, b.contact_count, b.subscribed_count,
       count(c.id) as contacts, count(distinct c.email) as addresses,
       count(iif(c.subscribed, 1, null)) as subscribed
     from contact_books b left join contacts c on c.team_id = b.team_id and c.book_id = b.id
     where b.team_id = ? group by b.id`,
    team.id,
  )
  return books.flatMap(({ id, contacts, addresses, subscribed, ...counted }) => [
    ...(counted.contact_count === contacts && counted.subscribed_count === subscribed
      ? []
      : [`${id} counts ${JSON.stringify(counted)}, it has ${contacts}, ${subscribed} subscribed`]),
    ...(contacts === addresses ? [] : [`${id} has a contact twice`]),
    ...(id === importedTo && addresses !== IMPORTED
      ? [`${id} is lost in part: ${addresses} of ${IMPORTED} were imported`]
      : []),
  ])
}
