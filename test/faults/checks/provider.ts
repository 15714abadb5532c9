import type { Excuse, Excuses } from "../excuses.ts"
import { type Invocation, PROVIDER } from "../invocation.ts"
import type { Acceptance, FakeProvider } from "../provider.ts"
import type { Member } from "../scenario.ts"

/** The provider's own event is there within minutes, so nothing is handed over again before. */
const AGAIN_AFTER_MS = 5 * 60_000
/** A report that was taken so long ago has been recorded, whatever died meanwhile. */
const RECORDED_AFTER_MS = 3 * 60_000

/**
 * By the provider's journal alone: a message that it has accepted and told of is never handed over
 * again.
 */
export function judgeHandovers({ acceptances, taken }: FakeProvider, excuses: Excuses): string[] {
  const wrongs: string[] = []
  for (const [emailId, times] of Map.groupBy(acceptances, ({ emailId }) => emailId)) {
    times.slice(1).forEach((again, index) => {
      const before = times[index] as Acceptance
      const who = `${before.invocation.label}, then ${again.invocation.label}`
      const isOff = before.invocation.isFarOff() || again.invocation.isFarOff()
      const excuse = isOff ? "a clock was off by more than a second" : excuseOf(before)
      if (excuse) excuses.count(excuse)
      else wrongs.push(`${emailId} was handed over twice: ${who}`)
      if (again.at - before.at < AGAIN_AFTER_MS && !isOff)
        wrongs.push(`${emailId} was handed over again after ${again.at - before.at} ms: ${who}`)
      const isTold = taken.some(
        (one) => one.emailId === emailId && one.at < again.at - RECORDED_AFTER_MS,
      )
      if (isTold) wrongs.push(`${emailId} was handed over again after its report: ${who}`)
    })
  }
  return wrongs
}

function excuseOf({ isAnswered, invocation, faultsBefore }: Acceptance): Excuse | null {
  if (!isAnswered) return "the provider did not answer"
  const since = invocation.faults().slice(faultsBefore)
  if (since.some(isDeath)) return "the process died"
  if (since.some(({ what }) => what === PROVIDER)) return "the provider did not answer"
  return since.some(({ what }) => what.startsWith("D1")) ? "the record was not made" : null
}

const isDeath = ({ fault }: ReturnType<Invocation["faults"]>[number]) => fault.startsWith("dies")

/** What was handed over is what was accepted, or what the campaign says to its contact. */
export function checkContents({ acceptances }: FakeProvider, members: readonly Member[]): string[] {
  const sent = new Map(members.flatMap(({ accepted }) => [...accepted]))
  return acceptances.flatMap(({ emailId, message: { Destination, Content } }) => {
    const subject = Content.Simple?.Subject.Data
    const text = Content.Simple?.Body.Text?.Data ?? ""
    const to = Destination.ToAddresses.join()
    const wanted = sent.get(emailId)?.message
    const isSame = wanted
      ? subject === wanted.subject && text === wanted.text && to === wanted.to.join()
      : subject === "Hello Ada" && text.startsWith("Hi Ada of London\n") && /^\S+@\S+$/.test(to)
    return isSame
      ? []
      : [`${emailId} was handed over as ${subject} to ${to}: ${text.slice(0, 200)}`]
  })
}
