import { DurableObject } from "cloudflare:workers"
import { within } from "../../../lib/within.ts"
import type { Env } from "../../platform/env.ts"

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

/**
 * The rate of a provider, where several databases share it: one line of slots for all of them. An
 * object that starts again has an empty line, so a second's messages may go out twice as fast.
 */
export class ProviderRates extends DurableObject<Env> {
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

  /** Slots of a lease for which there was no email. */
  giveBack({ isBulk, count, intervalMs }: Omit<Asked, "aheadMs">): void {
    this.#nextSlot -= count * intervalMs
    if (!isBulk) this.#nextTransactionalSlot -= count * intervalMs
  }
}

const ANSWERS_WITHIN_MS = 500

const ratesOf = ({ PROVIDER_RATES }: Env, provider: string) =>
  (PROVIDER_RATES as DurableObjectNamespace<ProviderRates>).getByName(provider)

export const takeSlotLease = (env: Env, provider: string, asked: Asked): Promise<SlotLease> =>
  within(ANSWERS_WITHIN_MS, ratesOf(env, provider).take(asked))

export const giveSlotsBack = async (
  env: Env,
  provider: string,
  unused: Omit<Asked, "aheadMs">,
): Promise<void> => {
  if (unused.count > 0) await within(ANSWERS_WITHIN_MS, ratesOf(env, provider).giveBack(unused))
}
