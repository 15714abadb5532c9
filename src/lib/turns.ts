/** An invocation may make a thousand queries, and all work of the minute shares one. */
const MAX_ROUNDS = 50

/** The items of a round, and the first share of each owner. */
export const ITEMS_A_ROUND = 500
const FIRST_SHARE = 50

/** A round does at most `share` items of each owner above `after`, and `ITEMS_A_ROUND` in all. */
export interface Round {
  after: string
  share: number
}

/**
 * Lets the owners of work take turns in the order of their keys, until nothing is left or the time
 * is up. `doRound` answers the owner of each item that it did. The share grows when there are few
 * owners.
 */
export async function inTurns(
  { now }: { now: () => number },
  withinMs: number,
  doRound: (round: Round) => Promise<string[]>,
): Promise<void> {
  const until = now() + withinMs
  let after = ""
  let share = FIRST_SHARE
  let doneInTurn = 0
  for (let rounds = 0; rounds < MAX_ROUNDS && now() < until; rounds++) {
    const owners = await doRound({ after, share })
    doneInTurn += owners.length
    if (owners.length >= ITEMS_A_ROUND) {
      after = owners.reduce((last, owner) => (owner > last ? owner : last))
      continue
    }
    if (doneInTurn === 0) return
    if (doneInTurn * 2 <= ITEMS_A_ROUND) share *= 2
    after = ""
    doneInTurn = 0
  }
}
