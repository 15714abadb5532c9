import type { Internet } from "../support/internet.ts"
import type { Draw } from "./chance.ts"
import { currentInvocation, type Invocation, RECEIVER } from "./invocation.ts"
import type { Positions } from "./journal.ts"

/** A call that a receiver has heard. */
export interface Heard {
  url: string
  eventId: string
  status: number
  invocation: Invocation
  /** The number of faults of the process before this call. */
  faultsBefore: number
  /** What had been committed by then. */
  positions: Positions
  signature: string
  body: string
}

/** The receivers of webhooks: one that always answers, and one that often fails. */
export function createReceivers(
  internet: Internet,
  { draw, failures, positions }: { draw: Draw; failures(): number; positions(): Positions },
) {
  const heard: Heard[] = []

  function open(failing: boolean): string {
    const { url } = internet.receiver(({ url, headers, body }) => {
      const invocation = currentInvocation() as Invocation
      const faultsBefore = invocation.faults().length
      return invocation.call(RECEIVER, async () => {
        const eventId = headers.get("svc-event-id") ?? ""
        const before = heard.filter((one) => one.invocation === invocation).length
        const fails = failing && draw(`receiver ${invocation.number} ${before}`) < failures()
        const status = fails ? 500 : 200
        const signature = headers.get("svc-signature") ?? ""
        const told = { url, eventId, status, signature, body }
        heard.push({ ...told, invocation, faultsBefore, positions: positions() })
        return new Response(fails ? "not now" : "thanks", { status })
      })
    })
    return url
  }

  return { heard, good: () => open(false), failing: () => open(true) }
}
