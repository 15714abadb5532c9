import type { Internet } from "../support/internet.ts"
import type { Draw } from "./chance.ts"
import { currentInvocation, type Invocation, RECEIVER } from "./invocation.ts"

/** A call that a receiver has heard. */
export interface Heard {
  url: string
  eventId: string
  status: number
  invocation: Invocation
}

/** The receivers of webhooks: one that always answers, and one that often fails. */
export function createReceivers(
  internet: Internet,
  { draw, failures }: { draw: Draw; failures(): number },
) {
  const heard: Heard[] = []

  function open(failing: boolean): string {
    const { url } = internet.receiver(({ url, headers }) => {
      const invocation = currentInvocation() as Invocation
      return invocation.call(RECEIVER, async () => {
        const eventId = headers.get("svc-event-id") ?? ""
        const before = heard.filter((one) => one.invocation === invocation).length
        const fails = failing && draw(`receiver ${invocation.number} ${before}`) < failures()
        const status = fails ? 500 : 200
        heard.push({ url, eventId, status, invocation })
        return new Response(fails ? "not now" : "thanks", { status })
      })
    })
    return url
  }

  return { heard, good: () => open(false), failing: () => open(true) }
}
