import { logError } from "../../../../lib/log.ts"
import type { Work } from "../../../platform/context.ts"
import { databaseNumbers } from "../../../platform/db/databases.ts"
import type { Provider } from "../../../providers/provider.ts"
import { type Asked, type SlotLease, SlotLine, sharedLine } from "./provider-rates.ts"

/** What a claim takes: a team's first few emails, the backlog of transactional mail, or campaigns. */
export type ClaimKind = "first" | "backlog" | "bulk"

/**
 * How far ahead a claim takes slots. A new email waits up to this long, so the time is short. The
 * first emails of a team are sent at once while the line is short; otherwise they join the backlog,
 * where teams take turns.
 */
const AHEAD_MS: Record<ClaimKind, number> = { first: 250, backlog: 1_000, bulk: 500 }

/** No send starts later than this after the claim, so each ends well before the lease. */
export const START_WITHIN_MS = 15_000

/** The slots of a claim. Each email that goes to the provider takes one, or as many as it has recipients. */
interface Slots {
  room: number
  /** Waits for the next slot of an email that takes so many. False if it comes after `until`. */
  awaitSlot(count: number, until: number): Promise<boolean>
  /** How long until there is room again. */
  waitMs: number
  /** Called once it is known how many slots each email takes. */
  use(counts: readonly number[]): void
}

export const withoutLimit = (room: number): Slots => ({
  room,
  awaitSlot: async () => true,
  waitMs: 0,
  use() {},
})

/** Takes slots from the provider's line. If that does not answer, this process paces its share. */
export async function takeSlots(
  work: Work,
  provider: Provider,
  kind: ClaimKind,
  count: number,
): Promise<Slots> {
  const rate = await rateOf(work, provider)
  if (rate === null) return withoutLimit(count)
  const askedAt = (intervalMs: number): Asked => ({
    isBulk: kind === "bulk",
    count,
    intervalMs,
    aheadMs: Math.max(intervalMs, AHEAD_MS[kind]),
  })
  try {
    const line = sharedLine(work.env, provider.name)
    const asked = askedAt(1000 / rate)
    const lease = await line.take(asked)
    return slotsOf(work, asked, lease, (unused) => work.defer(line.giveBack(unused)))
  } catch (error) {
    logError(error, { providerRates: provider.name })
    const line = ownLineOf(provider)
    const asked = askedAt((1000 / rate) * databaseNumbers(work.env).length)
    return slotsOf(work, asked, line.take(asked), (unused) => line.giveBack(unused))
  }
}

function slotsOf(
  work: Work,
  asked: Asked,
  { room, delayMs }: SlotLease,
  giveBack: (unused: Asked) => void,
): Slots {
  const { intervalMs, aheadMs } = asked
  let slot = work.now() + delayMs
  return {
    room,
    async awaitSlot(count, until) {
      if (slot > until) return false
      const wait = slot - work.now()
      slot += count * intervalMs
      if (wait > 0) await scheduler.wait(wait)
      return true
    },
    waitMs: Math.max(0, delayMs - aheadMs + intervalMs),
    use(counts) {
      let used = 0
      for (const count of counts) if (delayMs + used * intervalMs <= START_WITHIN_MS) used += count
      if (used !== room) giveBack({ ...asked, count: room - used })
    },
  }
}

const ownLines = new Map<string, SlotLine>()

function ownLineOf({ name }: Provider): SlotLine {
  const line = ownLines.get(name) ?? new SlotLine()
  ownLines.set(name, line)
  return line
}

/** `SEND_RATE` and `BULK_SEND_RATE` override the provider's own quota. */
async function rateOf({ settings }: Work, provider: Provider): Promise<number | null> {
  const { PROVIDER, SEND_RATE, BULK_SEND_RATE } = settings
  const said = provider.name === PROVIDER ? SEND_RATE : BULK_SEND_RATE
  return said ?? (await provider.sendRate?.()) ?? null
}
