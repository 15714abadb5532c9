/** One of the parallel calls wins in each attempt, and there are never this many calls. */
const MAX_ATTEMPTS = 100

/** Repeats `attempt` until it answers something: nothing means that another call was faster. */
export async function untilWon<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tried = 0; tried < MAX_ATTEMPTS; tried++) {
    const won = await attempt()
    if (won !== undefined) return won
  }
  throw new Error(`Lost to other calls ${MAX_ATTEMPTS} times`)
}
