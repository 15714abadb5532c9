import type { Work } from "../../platform/context.ts"
import type { Provider } from "../../providers/provider.ts"
import type { ClaimValues } from "./open-emails.ts"

/**
 * Who asks for slots: a team's first few emails, the backlog of transactional mail, or campaigns.
 * Transactional mail has a line of its own. Campaigns wait behind everybody.
 */
export type SlotShare = "first" | "backlog" | "bulk"

/**
 * How far ahead a lane takes slots. A new email waits up to this long, so the time is short. The
 * first emails of a team are sent at once while the line is short; otherwise they join the backlog,
 * where teams take turns.
 */
const AHEAD_MS: Record<SlotShare, number> = { first: 250, backlog: 1_000, bulk: 500 }

interface Asked {
  lane: SlotShare
  size: number
  /** No email goes to the provider: all are known to be withdrawn. */
  unpaced: boolean
}

/** The rate limit of a provider: each email that is sent takes one slot. */
interface Slots {
  isBounded: boolean
  values: Pick<ClaimValues, "size" | "intervalMs" | "aheadMs" | "slotsFrom">
  /** Waits for the slot of the next message. */
  pace(firstSlot: number): () => Promise<void>
  waitMs(firstSlot: number): number
}

export async function slotsOf(
  work: Work,
  provider: Provider,
  { lane, size, unpaced }: Asked,
): Promise<Slots> {
  const rate = unpaced ? null : await rateOf(work, provider)
  const intervalMs = rate === null ? 0 : 1000 / rate
  const aheadMs = Math.max(intervalMs, AHEAD_MS[lane])
  return {
    isBounded: rate !== null,
    values: { size, intervalMs, aheadMs, slotsFrom: rate === null ? 0 : work.now() },
    pace(firstSlot) {
      let turn = firstSlot
      return async () => {
        const wait = turn - work.now()
        turn += intervalMs
        if (wait > 0) await scheduler.wait(wait)
      }
    },
    waitMs: (firstSlot) => Math.max(0, firstSlot - work.now() - aheadMs + intervalMs),
  }
}

/** `SEND_RATE` and `BULK_SEND_RATE` override the provider's own quota. */
async function rateOf({ settings }: Work, provider: Provider): Promise<number | null> {
  const { PROVIDER, SEND_RATE, BULK_SEND_RATE } = settings
  const said = provider.name === PROVIDER ? SEND_RATE : BULK_SEND_RATE
  return said ?? (await provider.sendRate?.()) ?? null
}
