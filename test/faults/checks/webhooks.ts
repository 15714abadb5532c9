import type { Member } from "../scenario.ts"
import type { World } from "../world.ts"
import { difference, type Row, rows } from "./rows.ts"

/** Every timeline entry is an event, but cancelling; the feed has no gap. */
export async function checkEvents({ team }: Member): Promise<string[]> {
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

export async function checkDeliveries(
  { receivers, excuses }: World,
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
          .filter(
            ({ invocation, faultsBefore }) =>
              !invocation.isDead() && invocation.faults().length === faultsBefore,
          )
          .map(({ status }) => status)
        for (const status of statuses) {
          const index = unrecorded.indexOf(status)
          if (index >= 0) unrecorded.splice(index, 1)
        }
        // Where a clock is off, two processes may hold a delivery at once: one of them cannot record its call.
        for (const { invocation } of calls)
          if (unrecorded.length > 0 && invocation.isFarOff()) {
            excuses.count("a clock was off by more than a second")
            unrecorded.pop()
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
