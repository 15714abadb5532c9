import type { Excuse } from "../excuses.ts"
import type { Handover } from "../journal.ts"
import type { World } from "../world.ts"

/**
 * A process that holds an email may take this long, so nobody else hands it over before. ARCHITECTURE
 * promises a lease without saying how long it is.
 */
const LEASE_MS = 25_000
/** A provider outside reports within minutes. Until then, nothing is handed over again. */
const EVENT_WITHIN_MS = 5 * 60_000
/**
 * A report that was taken so long ago has been recorded, whatever died meanwhile. It waits in its queue
 * while the database or the queue is away, and somewhat longer.
 */
const RECORDED_AFTER_MS = 3 * 60_000

/**
 * An email is handed over once. A second hand-over is excused if a fault after the first one may have kept
 * its record out of the database. It is wrong once the record or a report is there.
 */
export function checkHandovers({
  provider,
  journal,
  excuses,
  outages,
  hasFarClocks,
}: World): string[] {
  const wrongs: string[] = []
  const againAfterMs = provider ? EVENT_WITHIN_MS : LEASE_MS
  const handovers: readonly Handover[] = provider?.acceptances ?? journal.handovers
  for (const [emailId, times] of Map.groupBy(handovers, ({ emailId }) => emailId)) {
    times.slice(1).forEach((again, index) => {
      const before = times[index] as Handover
      const who = `${before.invocation.label}, then ${again.invocation.label}`
      const isOff = before.invocation.isFarOff() || again.invocation.isFarOff()
      const excuse = isOff ? "a clock was off by more than a second" : excuseOf(before)
      if (excuse) excuses.count(excuse)
      else wrongs.push(`${emailId} was handed over twice: ${who}`)
      const afterMs = again.at - before.at
      const mayBeEarly = (byMs: number) => hasFarClocks && excuses.early(byMs, again.invocation)
      if (afterMs < againAfterMs && !isOff && !mayBeEarly(againAfterMs - afterMs))
        wrongs.push(`${emailId} was handed over again after ${afterMs} ms: ${who}`)
      const told = (provider?.taken ?? []).filter(
        (one) => one.emailId === emailId && one.at < again.at - RECORDED_AFTER_MS,
      )
      const hasWaited = told.every(({ at }) => outages?.delaysRecords(at, again.at))
      if (told.length > 0 && hasWaited) excuses.count("the report waited for an outage")
      // A report that failed several times stays in its queue for minutes. A clock ahead waits less for it.
      if (!hasWaited && !mayBeEarly(RECORDED_AFTER_MS))
        wrongs.push(
          `${emailId} was handed over again after its report: ${who}, ${afterMs} ms later, told ${told.map(({ at }) => at - before.at)} ms later`,
        )
      const record = journal.recorded.get(emailId)
      if (record && (again.invocation.positions.get(record.db) ?? 0) >= record.seq)
        wrongs.push(`${emailId} was handed over again after its record: ${who}`)
    })
  }
  return wrongs
}

/** Why a hand-over may be unknown to the database. */
export function excuseOf({ isAnswered, fault, invocation, faultsBefore }: Handover): Excuse | null {
  // A call that dies may have begun before the hand-over.
  if (invocation.isDead()) return "the process died"
  if (!isAnswered || fault) return "the provider did not answer"
  const since = invocation.faults().slice(faultsBefore)
  if (since.some(({ what }) => what.includes("insert into email_events")))
    return "the record was not made"
  return since.some(({ fault }) => fault === "answers late") ? "the record was late" : null
}
