import { env } from "cloudflare:workers"
import { LEASE_MS } from "../../src/emails/claim.ts"
import { STATUS_RANK } from "../../src/emails/contract.ts"
import { endOf, type Member } from "./scenario.ts"
import { readOpen } from "./settle.ts"
import type { World } from "./world.ts"

/** Two clocks are at most this far apart. */
const CLOCKS_APART_MS = 200

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
type Row = Record<string, any>

const rows = async (query: string, ...values: unknown[]): Promise<Row[]> =>
  (
    await env.DB.prepare(query)
      .bind(...values)
      .all<Row>()
  ).results

/** What is wrong after the faults, in words; nothing where all is well. */
export async function findWrongs(world: World, members: readonly Member[]): Promise<string[]> {
  const wrongs = await Promise.all([
    ...members.flatMap((member) => [
      checkEmails(world, member),
      checkTimelines(member),
      checkCounters(member),
      checkSuppressions(member),
      checkCampaigns(member),
      checkEvents(member),
      checkDeliveries(world, member),
      checkStream(world, member),
    ]),
    checkLeftovers(),
    checkDeadLetters(world),
  ])
  return [...wrongs.flat(), ...checkHandovers(world), ...checkTold(world)]
}

/** Nothing lost, doubled or stuck. */
async function checkEmails(world: World, { team, accepted, campaigns }: Member): Promise<string[]> {
  const emails = await rows("select * from emails where team_id = ?", team.id)
  const handed = new Set(world.journal.handovers.map(({ emailId }) => emailId))
  const found = new Set(emails.map(({ id }) => id))
  const isCancelledCampaign = (id: string) =>
    campaigns.some((campaign) => campaign.id === id && campaign.isCancelled)
  return [
    ...[...accepted.keys()].filter((id) => !found.has(id)).map((id) => `${id} is lost`),
    ...emails.flatMap(({ id, status, campaign_id, recipients, last_error, attempts }) => {
      const expected = accepted.get(id)
      if (!expected && campaign_id === null) return `${id} was accepted twice`
      const mailbox = expected?.mailbox ?? JSON.parse(recipients)[0].address.split("+")[0]
      const mayEnd = expected?.isCancelled
        ? ["cancelled"]
        : isCancelledCampaign(campaign_id)
          ? ["cancelled", endOf(mailbox)]
          : [endOf(mailbox)]
      const mustBeHanded = status !== "cancelled" && status !== "failed"
      return [
        ...(mayEnd.includes(status)
          ? []
          : [`${id} to ${mailbox} is ${status} after ${attempts} attempts: ${last_error}`]),
        ...(handed.has(id) === mustBeHanded
          ? []
          : [`${id} is ${status}, handed over: ${handed.has(id)}`]),
      ]
    }),
    ...world.journal.handovers.flatMap(({ emailId, at }) => {
      const { notBefore = 0 } = accepted.get(emailId) ?? {}
      return at < notBefore - CLOCKS_APART_MS ? `${emailId} went out too early` : []
    }),
  ]
}

/**
 * An email is handed over once. It may be again when whoever had it was hurt, so that the first
 * time is not recorded: after the lease.
 */
function checkHandovers({ journal }: World): string[] {
  const byEmail = Map.groupBy(journal.handovers, ({ emailId }) => emailId)
  return [...byEmail].flatMap(([emailId, times]) =>
    times.slice(1).flatMap(({ at, invocation }, index) => {
      const before = times[index] as (typeof times)[0]
      const who = `${before.invocation.label}, then ${invocation.label}`
      return [
        ...(before.invocation.isHurt() ? [] : [`${emailId} was handed over twice: ${who}`]),
        ...(at - before.at < LEASE_MS - CLOCKS_APART_MS - 15_000
          ? [`${emailId} was handed over again within the lease: ${who}`]
          : []),
      ]
    }),
  )
}

async function checkTimelines({ team }: Member): Promise<string[]> {
  const emails = await rows("select id, status from emails where team_id = ?", team.id)
  const entries = await rows(
    "select * from email_events where team_id = ? order by email_id, occurred_at, id",
    team.id,
  )
  const byEmail = Map.groupBy(entries, ({ email_id }) => email_id as string)
  return emails.flatMap(({ id, status }) => {
    const entries = byEmail.get(id) ?? []
    const types = entries.map(({ type }) => type as string)
    const kinds = new Set(
      entries.map(({ type, data }) => `${type} ${(JSON.parse(data) as Row).recipients}`),
    )
    const ranks = types.map((type) => (STATUS_RANK as Record<string, number>)[type] ?? -1)
    const highest = types[ranks.indexOf(Math.max(...ranks))]
    const mayStandFirst = ["sent", "failed", "cancelled"].includes(types[0] ?? "")
    const said = `${id} is ${status}, its timeline is ${types.join(", ") || "empty"}`
    const isSane = mayStandFirst && kinds.size === types.length && (highest ?? "queued") === status
    return isSane ? [] : [said]
  })
}

const COUNTED = ["sent", "delivered", "bounced", "complained", "failed"]

const countsOfLog = async (teamId: string, campaignId?: string) => {
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

async function checkCounters({ team }: Member): Promise<string[]> {
  const [days] = await rows(
    `select ${COUNTED.map((type) => `coalesce(sum(${type}), 0) as ${type}`).join(", ")}
     from stats_days where team_id = ?`,
    team.id,
  )
  const counted = JSON.stringify(COUNTED.map((type) => [type, days?.[type]]))
  const logged = await countsOfLog(team.id)
  return counted === logged ? [] : [`the days count ${counted}, the log has ${logged}`]
}

async function checkSuppressions({ team }: Member): Promise<string[]> {
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

async function checkCampaigns({ team, campaigns }: Member): Promise<string[]> {
  const wrongs = campaigns.map(async ({ id, contacts, isCancelled }) => {
    const [run] = await rows("select * from campaign_runs where campaign_id = ?", id)
    const [campaign] = await rows("select status from campaigns where id = ?", id)
    const emails = await rows("select contact_id from emails where campaign_id = ?", id)
    const told = await rows(
      "select type from events where team_id = ? and data ->> '$.campaign.id' = ? order by sequence",
      team.id,
      id,
    )
    const contactsMailed = new Set(emails.map(({ contact_id }) => contact_id)).size
    const counted = JSON.stringify(COUNTED.map((type) => [type, run?.[type]]))
    const logged = await countsOfLog(team.id, id)
    const expected = isCancelled
      ? "cancelled, told: "
      : "sent, told: campaign.sent campaign.completed"
    const actual = `${campaign?.status}, told: ${told.map(({ type }) => type).join(" ")}`
    return [
      ...(contactsMailed === emails.length ? [] : [`${id} mailed a contact twice`]),
      ...(isCancelled || emails.length === contacts ? [] : [`${id} mailed ${emails.length}`]),
      ...(run?.recipients === emails.length ? [] : [`${id} counts ${run?.recipients} recipients`]),
      ...(run?.open === 0 ? [] : [`${id} has ${run?.open} open emails`]),
      ...(counted === logged ? [] : [`${id} counts ${counted}, the log has ${logged}`]),
      ...(actual === expected ? [] : [`${id} is ${actual}`]),
    ]
  })
  return (await Promise.all(wrongs)).flat()
}

/** Every timeline entry is an event, but cancelling; the feed has no gap. */
async function checkEvents({ team }: Member): Promise<string[]> {
  const events = await rows("select * from events where team_id = ? order by sequence", team.id)
  const entries = await rows(
    "select id from email_events where team_id = ? and type <> 'cancelled'",
    team.id,
  )
  const hasGap = events.some(({ sequence }, index) => sequence !== index + 1)
  return [
    ...(hasGap ? ["the feed of events has a gap"] : []),
    ...difference(
      events.filter(({ type }) => type.startsWith("email.")).map(({ id }) => id),
      entries.map(({ id }) => id),
      "is an event that no timeline has",
      "is on a timeline, and no event",
    ),
  ]
}

async function checkDeliveries(
  { receivers }: World,
  { team, webhooks }: Member,
): Promise<string[]> {
  const events = await rows("select id, type from events where team_id = ?", team.id)
  const wrongs = [...webhooks].map(async ([url, webhook]) => {
    const deliveries = await rows("select * from deliveries where webhook_id = ?", webhook.id)
    const heard = Map.groupBy(
      receivers.heard.filter((one) => one.url === url),
      ({ eventId }) => eventId,
    )
    return [
      ...difference(
        deliveries.map(({ event_id }) => event_id),
        events.filter(({ type }) => webhook.events.includes(type)).map(({ id }) => id),
        "was delivered without cause",
        "has no delivery",
      ),
      ...deliveries.flatMap(({ event_id, state, attempts }) => {
        const calls = heard.get(event_id) ?? []
        const statuses = (JSON.parse(attempts) as Row[]).map(({ statusCode }) => statusCode)
        const unrecorded = calls
          .filter(({ invocation }) => !invocation.isHurt())
          .map(({ status }) => status)
        for (const status of statuses) {
          const index = unrecorded.indexOf(status)
          if (index >= 0) unrecorded.splice(index, 1)
        }
        const recorded = statuses.filter((status) => status !== null).length
        const isSane =
          state === "succeeded" &&
          calls.some(({ status }) => status === 200) &&
          recorded <= calls.length &&
          unrecorded.length === 0
        return isSane
          ? []
          : `${event_id} is ${state}, attempts ${JSON.stringify(statuses)}, heard ${JSON.stringify(
              calls.map(({ status, invocation }) => [status, invocation.label]),
            )}`
      }),
    ]
  })
  return (await Promise.all(wrongs)).flat()
}

/** The reader has heard all that was published, in order. */
async function checkStream({ journal }: World, { team, stream }: Member): Promise<string[]> {
  const published = journal.published.filter(({ teamId }) => teamId === team.id)
  const heard: string[] = []
  await stream.next()
  for (let sequence = 1; sequence <= published.length; sequence++) {
    const { id, data } = await stream.next()
    if (Number(id) !== sequence) return [`the stream says ${id} where ${sequence} is next`]
    heard.push(data as string)
  }
  await stream.close()
  return difference(
    [...new Set(heard)],
    [...new Set(published.map(({ change }) => change))],
    "was read, and never published",
    "was published, and never read",
  )
}

const checkTold = ({ journal }: World) => journal.untold().map((change) => `untold: ${change}`)

const checkLeftovers = async () =>
  (await readOpen()).map(({ what, count }) => `left over: ${count} ${what}`)

async function checkDeadLetters({ queues }: World): Promise<string[]> {
  const letters = await rows("select distinct body from dead_letters")
  return difference(
    letters.map(({ body }) => body),
    [...new Set(queues.deadLettered)],
    "is a dead letter without cause",
    "is no dead letter",
  )
}

/** Compares lists as bags. */
function difference(actual: string[], expected: string[], tooMuch: string, missing: string) {
  const left = [...expected]
  const extra = actual.filter((one) => {
    const index = left.indexOf(one)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
  return [...extra.map((one) => `${one} ${tooMuch}`), ...left.map((one) => `${one} ${missing}`)]
}
