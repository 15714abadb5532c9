import { DurableObject } from "cloudflare:workers"
import { within } from "../../../../lib/within.ts"
import type { Env } from "../../../platform/env.ts"

export interface Asked {
  isBulk: boolean
  count: number
  intervalMs: number
  /** How far ahead slots are taken. */
  aheadMs: number
}

export interface SlotLease {
  /** How many messages may be handed over. */
  room: number
  /** The time until the first slot. */
  delayMs: number
}

/** The slots of a provider, one after another. A line that starts again is empty. */
export class SlotLine {
  /** The next free slot for any email, and for transactional mail. */
  #nextSlot = 0
  #nextTransactionalSlot = 0

  /** Campaigns wait behind all mail, transactional mail behind itself alone. */
  take({ isBulk, count, intervalMs, aheadMs }: Asked): SlotLease {
    const now = Date.now()
    const start = Math.max(now, isBulk ? this.#nextSlot : this.#nextTransactionalSlot)
    const left = Math.floor((aheadMs - (start - now)) / intervalMs)
    const room = Math.max(0, Math.min(count, left))
    this.#nextSlot = Math.max(now, this.#nextSlot) + room * intervalMs
    if (!isBulk) this.#nextTransactionalSlot = start + room * intervalMs
    return { room, delayMs: start - now }
  }

  /** Slots of a lease that no email took. Less than none: what its emails need beyond it. */
  giveBack({ isBulk, count, intervalMs }: Asked): void {
    this.#nextSlot -= count * intervalMs
    if (!isBulk) this.#nextTransactionalSlot -= count * intervalMs
  }
}

/** One object a provider: all consumers of all databases take their slots from its line. */
export class ProviderRates extends DurableObject<Env> {
  readonly #line = new SlotLine()

  take(asked: Asked): SlotLease {
    return this.#line.take(asked)
  }

  giveBack(unused: Asked): void {
    this.#line.giveBack(unused)
  }
}

const ANSWERS_WITHIN_MS = 500

/** The line of a provider's object, with a limit on each wait. */
export function sharedLine({ PROVIDER_RATES }: Env, provider: string) {
  const rates = (PROVIDER_RATES as DurableObjectNamespace<ProviderRates>).getByName(provider)
  return {
    take: (asked: Asked): Promise<SlotLease> => within(ANSWERS_WITHIN_MS, rates.take(asked)),
    giveBack: (unused: Asked): Promise<void> => within(ANSWERS_WITHIN_MS, rates.giveBack(unused)),
  }
}
