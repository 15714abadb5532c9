/** Null without numbers. Of an even count, the mean of the middle two. */
export function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
  return sorted.length === 0 ? null : middle.reduce((sum, one) => sum + one, 0) / middle.length
}
