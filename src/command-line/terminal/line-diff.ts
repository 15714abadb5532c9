const CONTEXT = 2
const MAX_COMPARISONS = 4_000_000

/** The changed lines and some lines around them. `- ` marks old lines, `+ ` new ones. */
export function diffLines(before: string, after: string): string[] {
  const [old, now] = [toLines(before), toLines(after)]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  const most = Math.min(old.length, now.length) - start
  while (end < most && old.at(-1 - end) === now.at(-1 - end)) end++
  const middle = compare(old.slice(start, old.length - end), now.slice(start, now.length - end))
  if (middle.length === 0) return []
  return fold([
    ...old.slice(0, start).map(unchanged),
    ...middle,
    ...old.slice(old.length - end).map(unchanged),
  ])
}

const toLines = (text: string) => (text === "" ? [] : text.split("\n"))
const unchanged = (line: string) => `  ${line}`

/** Compares by the longest common subsequence. A text that is too long for this is replaced as a whole. */
function compare(old: string[], now: string[]): string[] {
  const replaced = [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)]
  if (old.length * now.length > MAX_COMPARISONS) return replaced
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  for (let a = old.length - 1; a >= 0; a--) {
    for (let b = now.length - 1; b >= 0; b--) {
      common[a * width + b] =
        old[a] === now[b]
          ? common[(a + 1) * width + b + 1]! + 1
          : Math.max(common[(a + 1) * width + b]!, common[a * width + b + 1]!)
    }
  }
  const lines: string[] = []
  let [a, b] = [0, 0]
  while (a < old.length && b < now.length) {
    if (old[a] === now[b]) {
      lines.push(unchanged(old[a]!))
      a++
      b++
    } else if (common[(a + 1) * width + b]! >= common[a * width + b + 1]!) {
      lines.push(`- ${old[a++]}`)
    } else {
      lines.push(`+ ${now[b++]}`)
    }
  }
  return [...lines, ...replaced.slice(a, old.length), ...replaced.slice(old.length + b)]
}

/** Leaves out unchanged lines that are far from any change. */
function fold(lines: string[]): string[] {
  const isNear = (index: number) =>
    lines
      .slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1)
      .some((line) => !line.startsWith("  "))
  return lines.flatMap((line, index) => {
    if (isNear(index)) return [line]
    return index === 0 || isNear(index - 1) ? ["  …"] : []
  })
}
