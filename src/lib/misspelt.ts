const SHORTEST_MISTYPED = 5

/**
 * Finds the known names that a caller may have meant: names that differ only in case, `_` and `-`,
 * or else names of five letters or more that are one edit away.
 */
export function meantNames(known: readonly string[]): (name: string) => string[] {
  const bySpelling = new Map(known.map((name) => [spelling(name), name]))
  const byLength = Map.groupBy(
    known.filter(({ length }) => length >= SHORTEST_MISTYPED),
    ({ length }) => length,
  )
  return (name) => {
    const same = bySpelling.get(spelling(name))
    if (same !== undefined) return [same]
    return [-1, 0, 1].flatMap((more) =>
      (byLength.get(name.length + more) ?? []).filter((one) => isOneEditApart(one, name)),
    )
  }
}

const spelling = (name: string) => name.toLowerCase().replace(/[_-]+/g, "")

/** One character added, removed or replaced, or two neighbours swapped. */
function isOneEditApart(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let ends = 0
  const shorter = Math.min(a.length, b.length)
  while (ends < shorter - start && a[a.length - 1 - ends] === b[b.length - 1 - ends]) ends++
  const [left, right] = [a.slice(start, a.length - ends), b.slice(start, b.length - ends)]
  if (Math.max(left.length, right.length) <= 1) return true
  return left.length === 2 && left[0] === right[1] && left[1] === right[0] && right.length === 2
}
