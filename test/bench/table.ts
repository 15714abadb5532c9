export const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** The first column to the left, figures to the right. */
export function printTable(head: string[], rows: string[][]): void {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  for (const line of lines) {
    const last = line.length - 1
    console.log(
      line
        .map((cell, column) =>
          column === 0 || column === last
            ? cell.padEnd(widths[column]!)
            : cell.padStart(widths[column]!),
        )
        .join("  ")
        .trimEnd(),
    )
  }
}
