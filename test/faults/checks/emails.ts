import { DAY_MS } from "../../../src/lib/time.ts"
import { SETTLED_BY_HIT, STATUS_RANK } from "../../../src/worker/emails/contract.ts"
import { CLOCKS_APART_MS } from "../clocks.ts"
import { endOf, type Member } from "../scenario.ts"
import type { World } from "../world.ts"
import { excuseOf } from "./handovers.ts"
import { type Row, rows } from "./rows.ts"

/** An email with less time than this before its `scheduledAt` is not scheduled: it goes out at once. */
const SCHEDULED_FROM_MS = 5_000

/** Nothing waits longer once the faults have stopped, whatever a clock that was off has written down. */
const OUT_WITHIN_MS = 40 * 60_000

/** Nothing lost, doubled or stuck. */
export async function checkEmails(
  world: World,
  { team, accepted, campaigns }: Member,
): Promise<string[]> {
  const emails = await rows("select * from emails where team_id = ?", team.id)
  const handovers = world.provider?.acceptances ?? world.journal.handovers
  const handed = new Set(handovers.map(({ emailId }) => emailId))
  const recorded = new Set(handovers.filter((one) => !excuseOf(one)).map(({ emailId }) => emailId))
  const found = new Set(emails.map(({ id }) => id))
  const isCancelledCampaign = (id: string) =>
    campaigns.some((campaign) => campaign.id === id && campaign.isCancelled)
  const left = new Map(campaigns.flatMap(({ left }) => [...left]))
  const leftAt = new Map(emails.map((one) => [one.id, left.get(addressOf(one))]))
  const createdAt = new Map(emails.map(({ id, created_at }) => [id, created_at]))
  return [
    ...[...accepted.keys()].filter((id) => !found.has(id)).map((id) => `${id} is lost`),
    ...emails.flatMap(({ id, status, campaign_id, recipients, last_error, attempts }) => {
      const expected = accepted.get(id)
      if (!expected && campaign_id === null) return `${id} was accepted twice`
      const mailbox = expected?.mailbox ?? addressOf({ recipients }).split("+")[0] ?? ""
      const mayEnd = expected?.isCancelled
        ? ["cancelled"]
        : isCancelledCampaign(campaign_id) || leftAt.get(id) !== undefined
          ? ["cancelled", endOf(mailbox)]
          : [endOf(mailbox)]
      const mustBeHanded = status !== "cancelled" && status !== "failed"
      // The record of a hand-over was lost, and the next consumer found that the contact had left.
      const mayBeHanded = leftAt.get(id) !== undefined && !recorded.has(id)
      return [
        ...(mayEnd.includes(status)
          ? []
          : [`${id} to ${mailbox} is ${status} after ${attempts} attempts: ${last_error}`]),
        ...(handed.has(id) === mustBeHanded || (status === "cancelled" && mayBeHanded)
          ? []
          : [`${id} is ${status}, handed over: ${handed.has(id)}`]),
      ]
    }),
    ...handovers.flatMap(({ emailId, at, invocation }) => {
      const { notBefore = 0 } = accepted.get(emailId) ?? {}
      const earlyMs = notBefore - at - CLOCKS_APART_MS
      // A call that was repeated may have been accepted just before the time in it.
      const isScheduled = notBefore - createdAt.get(emailId) > SCHEDULED_FROM_MS
      return [
        ...(earlyMs > 0 && isScheduled && !world.excuses.early(earlyMs, invocation)
          ? [`${emailId} went out ${earlyMs} ms too early: ${invocation.label}`]
          : []),
        ...(invocation.number > (leftAt.get(emailId) ?? invocation.number)
          ? [`${emailId} went to somebody who had unsubscribed: ${invocation.label}`]
          : []),
      ]
    }),
  ]
}

/** Mail goes out soon after the faults. Where something was away, the wait depends on that. */
export function checkLate({ journal, provider, outages, calmSince }: World, { accepted }: Member) {
  if (provider || outages) return []
  const firstAt = new Map(journal.handovers.toReversed().map(({ emailId, at }) => [emailId, at]))
  return [...accepted].flatMap(([id, { notBefore }]) => {
    const lateMs = (firstAt.get(id) ?? 0) - Math.max(notBefore, calmSince())
    return lateMs > OUT_WITHIN_MS ? [`${id} went out ${lateMs} ms late`] : []
  })
}

const addressOf = ({ recipients = "" }: Row): string => JSON.parse(recipients)[0].address

/** The clock that dates a visit may be behind. */
const VISITS = ["opened", "clicked"]

export async function checkTimelines(world: World, { team }: Member): Promise<string[]> {
  // A provider outside may tell of a message twice, and that it has taken it never.
  const isOutside = world.provider !== undefined
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
      entries.map(({ type, data, occurred_at }) => {
        const { recipients, userAgent, url } = JSON.parse(data) as Row
        // Visits count once a UTC day. By a clock that is off, it may be another day.
        const day = VISITS.includes(type) && Math.floor(occurred_at / DAY_MS)
        return [type, recipients, userAgent, url, day].join()
      }),
    )
    const ranks = types.map((type) => (STATUS_RANK as Record<string, number>)[type] ?? -1)
    const highest = types[ranks.indexOf(Math.max(...ranks))]
    const first = ["sent", "failed", "cancelled"]
    const earliest = entries.find(({ type }) => !VISITS.includes(type))
    // The process that handed it over has dated the delivery, and its clock may be behind.
    const isSettledLater = entries.some(
      ({ type, data, occurred_at }) =>
        type === "sent" &&
        JSON.parse(data).reason === SETTLED_BY_HIT &&
        occurred_at <= earliest?.occurred_at + CLOCKS_APART_MS,
    )
    const taken = world.provider?.acceptances.filter(({ emailId }) => emailId === id).length ?? 1
    const mayStandFirst =
      world.hasFarClocks ||
      first.includes(earliest?.type ?? "") ||
      isSettledLater ||
      taken > 1 ||
      world.queues.lostReports.has(`${id} sent`) ||
      (isOutside && !types.some((type) => first.includes(type)))
    const said = `${id} is ${status}, its timeline is ${types.join(", ") || "empty"}`
    const isSane =
      mayStandFirst &&
      (isOutside || kinds.size === types.length) &&
      (highest ?? "queued") === status
    return isSane ? [] : [said]
  })
}
