import { MIB } from "./body.ts"

/** A Worker has 128 MB, and a body needs several times its size while it is read and stored. */
const ROOM_BYTES = 24 * MIB
const SMALL_BYTES = MIB

const LOOK_AGAIN_MS = 20
/** A slow caller may delay others at most this long. */
const LONGEST_HOLD_MS = 3_000
/** Callers give up after 30 seconds. */
const LONGEST_WAIT_MS = 25_000

interface Holder {
  bytes: number
  until: number
}

/** A call whose client has gone never ends, so a holder counts for a limited time. */
const holders = new Set<Holder>()

function takenBytes(): number {
  let bytes = 0
  for (const holder of holders) {
    if (holder.until > Date.now()) bytes += holder.bytes
    else holders.delete(holder)
  }
  return bytes
}

/** Waits for memory before it works on a large body, but only for a limited time. */
export async function withMemoryBudget<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  if (bytes <= SMALL_BYTES) return work()
  const latest = Date.now() + LONGEST_WAIT_MS
  while (holders.size > 0 && takenBytes() + bytes > ROOM_BYTES && Date.now() < latest) {
    await scheduler.wait(LOOK_AGAIN_MS)
  }
  const holder = { bytes, until: Date.now() + LONGEST_HOLD_MS }
  holders.add(holder)
  try {
    return await work()
  } finally {
    holders.delete(holder)
  }
}
