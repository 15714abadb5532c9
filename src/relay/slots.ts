interface Waiting {
  team: string
  start(): void
}

/**
 * Slots for large messages, in the order of the requests. A team has at most half of the slots, so
 * that its slow senders do not block other teams.
 */
export function createSlots(total: number) {
  const perTeam = Math.max(1, Math.floor(total / 2))
  const held = new Map<string, number>()
  const waiting: Waiting[] = []
  let free = total

  const heldBy = (team: string) => held.get(team) ?? 0

  function release(team: string): void {
    free++
    held.set(team, heldBy(team) - 1)
    if (heldBy(team) === 0) held.delete(team)
    startNext()
  }

  function startNext(): void {
    const next = waiting.findIndex(({ team }) => heldBy(team) < perTeam)
    if (free === 0 || next === -1) return
    const [{ team, start }] = waiting.splice(next, 1) as [Waiting]
    free--
    held.set(team, heldBy(team) + 1)
    start()
  }

  return {
    /** Resolves to a function that frees the slot, or to null if none was free in time. */
    take: (team: string, patienceMs: number) =>
      new Promise<(() => void) | null>((resolve) => {
        const one: Waiting = {
          team,
          start() {
            clearTimeout(timer)
            resolve(() => release(team))
          },
        }
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(one), 1)
          resolve(null)
        }, patienceMs)
        waiting.push(one)
        startNext()
      }),
  }
}

export type Slots = ReturnType<typeof createSlots>
