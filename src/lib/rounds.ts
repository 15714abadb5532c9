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

/** Repeats `attempt`, which answers nothing when it lost to another call, until it has won. */
export async function untilWon<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tried = 0; tried < MAX_ATTEMPTS; tried++) {
    const won = await attempt()
    if (won !== undefined) return won
  }
  throw new Error(`Lost to other calls ${MAX_ATTEMPTS} times`)
}
