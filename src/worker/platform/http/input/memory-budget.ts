export const SMALL_BYTES = 1024 * 1024
/** A Worker has 128 MB, and a body needs several times its size while it is read and stored. */
const ROOM_BYTES = 24 * SMALL_BYTES

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

function takenByOthers(holder: Holder): number {
  let bytes = 0
  for (const one of holders) {
    if (one.until <= Date.now()) holders.delete(one)
    else if (one !== holder) bytes += one.bytes
  }
  return bytes
}

const byRequest = new WeakMap<Request, Holder>()

/**
 * Waits for memory before it works on a large body, but only for a limited time. A body whose size is not
 * known waits with `growMemory` while it is read.
 */
export async function withMemoryBudget<T>(
  bytes: number,
  work: () => Promise<T>,
  request?: Request,
): Promise<T> {
  const holder = await hold({ bytes: 0, until: 0 }, bytes)
  if (request) byRequest.set(request, holder)
  try {
    return await work()
  } finally {
    holders.delete(holder)
  }
}

export async function growMemory(request: Request, bytes: number): Promise<void> {
  const holder = byRequest.get(request)
  if (holder) await hold(holder, bytes)
}

async function hold(holder: Holder, bytes: number): Promise<Holder> {
  if (bytes <= SMALL_BYTES) return holder
  const latest = Date.now() + LONGEST_WAIT_MS
  for (let taken = takenByOthers(holder); taken > 0; taken = takenByOthers(holder)) {
    if (taken + bytes <= ROOM_BYTES || Date.now() >= latest) break
    await scheduler.wait(LOOK_AGAIN_MS)
  }
  holders.add(Object.assign(holder, { bytes, until: Date.now() + LONGEST_HOLD_MS }))
  return holder
}
