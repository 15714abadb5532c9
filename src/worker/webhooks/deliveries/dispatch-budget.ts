import type { Work } from "../../platform/context.ts"
import { SLOW_MS } from "./attempt.ts"

/** A Worker has six connections open at once: one is left for the database. */
const CONNECTIONS = 5

/** No claim starts later than this after the first. */
const BUDGET_MS = 1_000

/** The consumer stops waiting once every receiver has been silent for this long. */
export const PATIENCE_MS = 250

/** How long a receiver counts as silent. By then it has answered, or its webhook is held. */
export const SILENT_MS = SLOW_MS + 1_000

/**
 * By webhook: the time until which its receiver counts as silent in this isolate. There is always an
 * end, since an attempt whose invocation was cut off never reports.
 */
const silentUntil = new Map<string, number>()

export const isSilent = (work: Work, webhookId: string) =>
  work.now() < (silentUntil.get(webhookId) ?? 0)

/** The time and the connections that the webhooks of one queue batch share. */
export function createDispatchBudget(work: Work) {
  const endsAt = work.now() + BUDGET_MS
  const { promise: stalled, resolve: stall } = Promise.withResolvers<void>()
  const waiting: ((granted: boolean) => void)[] = []
  let free = CONNECTIONS
  let inFlight = 0
  let isStalled = false
  let patience: ReturnType<typeof setTimeout> | undefined

  const timeLeft = () => endsAt - work.now()
  const isOver = () => isStalled || timeLeft() <= 0
  const refuseWaiting = () => {
    for (const answer of waiting.splice(0)) answer(false)
  }
  const restartPatience = () => {
    clearTimeout(patience)
    if (inFlight === 0 || isStalled) return
    patience = setTimeout(() => {
      isStalled = true
      refuseWaiting()
      stall()
    }, PATIENCE_MS)
  }

  return {
    stalled,
    timeLeft,
    /** Waits for a connection, in the order of the calls. False once the time is over. */
    async takeConnection(): Promise<boolean> {
      if (isOver()) return false
      if (free === 0) return new Promise((resolve) => waiting.push(resolve))
      free--
      return true
    },
    /** False if no connection is free. */
    takeFreeConnection(): boolean {
      if (isOver() || free === 0) return false
      free--
      return true
    },
    releaseConnection(): void {
      if (isOver()) refuseWaiting()
      const next = waiting.shift()
      if (next) next(true)
      else free++
    },
    /** While it waits, a receiver that does not answer soon counts as silent. */
    async awaitAnswer<T>(webhookId: string, answer: Promise<T>): Promise<T> {
      inFlight++
      // This timer comes first, so the next batch already sees the webhook as silent.
      const timer = setTimeout(
        () => silentUntil.set(webhookId, work.now() + SILENT_MS),
        PATIENCE_MS,
      )
      restartPatience()
      try {
        return await answer
      } finally {
        clearTimeout(timer)
        silentUntil.delete(webhookId)
        inFlight--
        restartPatience()
      }
    },
  }
}
export type DispatchBudget = ReturnType<typeof createDispatchBudget>

/** Waits for the work until `stalled`. After that the work goes on behind the queue's handler. */
export async function waitUntilStalled(
  work: Work,
  running: Promise<unknown>,
  stalled: Promise<unknown>,
): Promise<void> {
  let isDone = false
  const done = running.finally(() => {
    isDone = true
  })
  await Promise.race([done, stalled])
  if (!isDone) work.defer(done)
}
