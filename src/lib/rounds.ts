/** Repeats `round`, which says how much it found, until it finds less than `size` or has had its rounds. */
export async function inRounds(
  { rounds, size }: { rounds: number; size: number },
  round: (size: number) => Promise<number>,
): Promise<void> {
  for (let done = 0; done < rounds; done++) {
    if ((await round(size)) < size) return
  }
}
