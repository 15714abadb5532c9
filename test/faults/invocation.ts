import { AsyncLocalStorage } from "node:async_hooks"
import type { Draw } from "./chance.ts"
import { CLOCKS_APART_MS, type ClockError } from "./clocks.ts"
import type { Positions } from "./journal.ts"

/** What can go wrong with one call of a binding, or of a receiver. */
export const FAULTS = [
  "fails",
  "loses the answer",
  "answers late",
  "dies before",
  "dies after",
] as const
export type Fault = (typeof FAULTS)[number]

/** A call of a webhook's receiver, which the service does not wait for long. */
export const RECEIVER = "receiver"
/** A call of a provider outside, which has its own limit of time, too. */
export const PROVIDER = "provider"

/** How often each fault happens to a call. */
export type Rates = Record<Fault, number>

const CALL_TAKES_MS = 20

/** One run of a handler in a process of its own, which a fault may kill. */
export interface Invocation {
  number: number
  label: string
  /** What had been committed when it began. */
  positions: Positions
  /** How far its clock is from the world's: its error, and the time its calls have taken. */
  clockAheadMs(): number
  /** Its clock is off by more than the service promises to bear. */
  isFarOff(): boolean
  /** The time its calls have taken. */
  tookMs(): number
  /** What has happened to it, in order. */
  faults(): readonly { what: string; fault: Fault }[]
  isDead(): boolean
  /** Its clock goes on meanwhile. */
  wait(ms: number): Promise<void>
  /** Does the work of a binding, unless a fault prevents it. A dead process gets no answer. */
  call<T>(what: string, work: (fault: Fault | undefined) => Promise<T>): Promise<T>
}

interface Surroundings {
  draw: Draw
  positions(): Positions
  /** Null once the faults have stopped. */
  rates(process: string): Rates | null
  note(line: string): void
  /** Waits a part of this time. */
  realWait(ms: number): Promise<void>
  /** How long a call hangs before it fails, while what it calls is away. Null at other times. */
  hangsMs(call: string): number | null
  clockOf(process: number): ClockError
  noteClock(errorMs: number): void
}

/** Ends when a late answer comes; the world goes on meanwhile. */
type WaitLong = () => Promise<void>

const running = new AsyncLocalStorage<Invocation>()

export const currentInvocation = () => running.getStore()

/** Does the work of an object at the time of its caller, by a clock that is right. */
export const atTimeOf = <T>(invocation: Invocation, work: () => T): T =>
  running.run({ ...invocation, clockAheadMs: invocation.tookMs }, work)

/** Runs the handler with what it defers; answers null if the process died. */
export async function runInvocation<T>(
  surroundings: Surroundings,
  number: number,
  what: string,
  waitLong: WaitLong,
  handler: (invocation: Invocation, execution: ExecutionContext) => Promise<T>,
): Promise<{ value: T; invocation: Invocation } | { invocation: Invocation; died: true }> {
  const died = Promise.withResolvers<"died">()
  const begun = new Set<Promise<unknown>>()
  const invocation = createInvocation(surroundings, number, what, {
    onDeath: () => died.resolve("died"),
    waitLong,
    begun,
  })
  const deferred: Promise<unknown>[] = []
  const execution = {
    waitUntil: (work: Promise<unknown>) => void deferred.push(work),
    passThroughOnException() {},
    props: {},
  } as unknown as ExecutionContext
  const work = running.run(invocation, async () => {
    const value = await handler(invocation, execution)
    for (let done = 0; done < deferred.length; done++) await deferred[done]
    return { value, invocation }
  })
  try {
    const outcome = await Promise.race([work, died.promise])
    return outcome === "died" ? { invocation, died: true } : outcome
  } finally {
    // What had reached a binding goes on there, whatever became of the process.
    await Promise.allSettled(begun)
  }
}

function createInvocation(
  { draw, positions, rates, note, realWait, hangsMs, clockOf, noteClock }: Surroundings,
  number: number,
  what: string,
  {
    onDeath,
    waitLong,
    begun,
  }: { onDeath(): void; waitLong: WaitLong; begun: Set<Promise<unknown>> },
): Invocation {
  const faults: { what: string; fault: Fault }[] = []
  let isDead = false
  let wasLate = false
  let tookMs = 0
  const calls = new Map<string, number>()
  const label = `#${number} ${what}`
  const clockErrorMs = clockOf(number)
  let isFarOff = false
  let called = 0
  const silence = new Promise<never>(() => {})

  function faultOf(call: string): Fault | undefined {
    const chances = rates(what)
    if (!chances) return undefined
    let left = draw(`fault ${call}`)
    const fault = FAULTS.find((one) => {
      left -= chances[one]
      return left < 0
    })
    return fault === "answers late" && wasLate ? undefined : fault
  }

  function die(): Promise<never> {
    isDead = true
    onDeath()
    return silence
  }

  return {
    number,
    label,
    positions: positions(),
    clockAheadMs() {
      const errorMs = clockErrorMs(called)
      if (!isFarOff && Math.abs(errorMs) > CLOCKS_APART_MS) {
        isFarOff = true
        noteClock(errorMs)
        note(`${label}: its clock is ${errorMs} ms off`)
      }
      return errorMs + tookMs
    },
    isFarOff: () => isFarOff,
    tookMs: () => tookMs,
    faults: () => faults,
    isDead: () => isDead,
    async wait(ms) {
      const until = tookMs + ms
      await realWait(ms)
      tookMs = Math.max(tookMs, until)
    },
    async call<T>(what: string, work: (fault: Fault | undefined) => Promise<T>): Promise<T> {
      if (isDead) return silence
      called++
      const hangs = hangsMs(what)
      if (hangs !== null) {
        faults.push({ what, fault: "fails" })
        tookMs += hangs
        throw new Error(`Injected: away: ${what}`)
      }
      // Calls of different kinds may pass each other: each kind is counted by itself.
      const nth = (calls.get(what) ?? 0) + 1
      calls.set(what, nth)
      const call = `${number} ${what} ${nth}`
      const fault = faultOf(call)
      if (fault === "answers late") wasLate = true
      if (fault) {
        faults.push({ what, fault })
        note(`${label} ${fault}: ${what}${nth > 1 ? `, time ${nth}` : ""}`)
      }
      if (fault === "dies before") return die()
      if (fault === "fails") throw new Error(`Injected: failed: ${what}`)
      const answer = work(fault)
      begun.add(answer)
      const result = await answer.finally(() => begun.delete(answer))
      if (rates(label)) tookMs += Math.round(draw(`time ${call}`) * CALL_TAKES_MS)
      if (fault === "answers late" && (what === RECEIVER || what === PROVIDER)) {
        throw new DOMException("The operation was aborted due to timeout", "TimeoutError")
      }
      if (fault === "answers late") await waitLong()
      if (isDead) return silence
      if (fault === "dies after") return die()
      if (fault === "loses the answer") throw new Error(`Injected: lost the answer: ${what}`)
      return result
    },
  }
}
