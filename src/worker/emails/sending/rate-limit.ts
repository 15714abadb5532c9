import { logError } from "../../../lib/log.ts"
import type { Work } from "../../platform/context.ts"
import { databaseNumbers, hasOthers } from "../../platform/db/databases.ts"
import type { Provider } from "../../providers/provider.ts"
import type { ClaimValues } from "./open-emails.ts"
import { giveSlotsBack, takeSlotLease } from "./provider-rates.ts"

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
  /** Called once it is known how many emails the claim has. */
  claimed(count: number): void
}

export async function slotsOf(
  work: Work,
  provider: Provider,
  { lane, size, unpaced }: Asked,
): Promise<Slots> {
  const rate = unpaced ? null : await rateOf(work, provider)
  if (rate === null || !hasOthers(work.env)) return ownSlots(work, rate, { lane, size })
  const intervalMs = 1000 / rate
  const asked = { isBulk: lane === "bulk", intervalMs }
  const aheadMs = Math.max(intervalMs, AHEAD_MS[lane])
  try {
    const lease = await takeSlotLease(work.env, provider.name, { ...asked, count: size, aheadMs })
    const { room, delayMs } = lease
    return {
      isBounded: false,
      values: { size: room, intervalMs: 0, aheadMs: 0, slotsFrom: 0 },
      pace: () => paceFrom(work, work.now() + delayMs, intervalMs),
      waitMs: () => Math.max(0, delayMs - aheadMs + intervalMs),
      claimed: (count) =>
        work.defer(giveSlotsBack(work.env, provider.name, { ...asked, count: room - count })),
    }
  } catch (error) {
    logError(error, { providerRates: provider.name })
    return ownSlots(work, rate / databaseNumbers(work.env).length, { lane, size })
  }
}

/** The line of slots in this database: all of the provider's rate, or this database's share. */
function ownSlots(
  work: Work,
  rate: number | null,
  { lane, size }: Pick<Asked, "lane" | "size">,
): Slots {
  const intervalMs = rate === null ? 0 : 1000 / rate
  const aheadMs = Math.max(intervalMs, AHEAD_MS[lane])
  return {
    isBounded: rate !== null,
    values: { size, intervalMs, aheadMs, slotsFrom: rate === null ? 0 : work.now() },
    pace: (firstSlot) => paceFrom(work, firstSlot, intervalMs),
    waitMs: (firstSlot) => Math.max(0, firstSlot - work.now() - aheadMs + intervalMs),
    claimed() {},
  }
}

function paceFrom(work: Work, firstSlot: number, intervalMs: number) {
  let slot = firstSlot
  return async () => {
    const wait = slot - work.now()
    slot += intervalMs
    if (wait > 0) await scheduler.wait(wait)
  }
}

/** `SEND_RATE` and `BULK_SEND_RATE` override the provider's own quota. */
async function rateOf({ settings }: Work, provider: Provider): Promise<number | null> {
  const { PROVIDER, SEND_RATE, BULK_SEND_RATE } = settings
  const said = provider.name === PROVIDER ? SEND_RATE : BULK_SEND_RATE
  return said ?? (await provider.sendRate?.()) ?? null
}
