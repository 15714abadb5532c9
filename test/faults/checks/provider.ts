import type { FakeProvider } from "../provider.ts"
import type { Member } from "../scenario.ts"

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
