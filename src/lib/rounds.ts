/** Of calls at the same time each attempt wins one: more than would ever meet. */
const MAX_ATTEMPTS = 100

/** Repeats `round`, which says how much it found, until it finds less than `size` or has had its rounds. */
export async function inRounds(
  { rounds, size }: { rounds: number; size: number },
  round: (size: number) => Promise<number>,
): Promise<void> {
  for (let done = 0; done < rounds; done++) {
    if ((await round(size)) < size) return
  }
}

/** D1 takes a thousand queries of an invocation, and the minute's work shares one. */
const MAX_ROUNDS = 50

/** What a round takes in all, and of each owner at first. */
export const ROUND = 500
const FIRST_SHARE = 50

/**
 * Gives the owners of work their turns, in the order of their keys, until nothing is left or the
 * time is up. `round` takes at most `share` pieces of each owner above `after`, and answers with
 * the owner of every piece. Few owners get larger shares.
 */
export async function inTurns(
  { now, withinMs }: { now: () => number; withinMs: number },
  round: (after: string, share: number) => Promise<string[]>,
): Promise<void> {
  const until = now() + withinMs
  let after = ""
  let share = FIRST_SHARE
  let doneInTurn = 0
  for (let rounds = 0; rounds < MAX_ROUNDS && now() < until; rounds++) {
    const owners = await round(after, share)
    doneInTurn += owners.length
    if (owners.length >= ROUND) {
      after = owners.reduce((last, owner) => (owner > last ? owner : last))
      continue
    }
    if (doneInTurn === 0) return
    if (doneInTurn * 2 <= ROUND) share *= 2
    after = ""
    doneInTurn = 0
  }
}

/** Repeats `attempt`, which answers nothing when it lost to another call, until it has won. */
export async function untilWon<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tried = 0; tried < MAX_ATTEMPTS; tried++) {
    const won = await attempt()
    if (won !== undefined) return won
  }
  throw new Error(`Lost to other calls ${MAX_ATTEMPTS} times`)
}
