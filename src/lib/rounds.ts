/**
 * Repeats `round` until it answers fewer than `size` items, at most `rounds` times. Each round gets
 * the last item of the round before. Tells whether it came to the end.
 */
export async function inRounds<T>(
  { rounds = Infinity, size }: { rounds?: number; size: number },
  round: (size: number, last?: T) => Promise<readonly T[]>,
): Promise<boolean> {
  let last: T | undefined
  for (let done = 0; done < rounds; done++) {
    const items = await round(size, last)
    if (items.length < size) return true
    last = items.at(-1)
  }
  return false
}
