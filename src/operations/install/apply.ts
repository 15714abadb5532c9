import type { Change } from "./change.ts"
import { inParallel } from "./in-parallel.ts"

interface Wanted {
  /** Only prints what would change. */
  dryRun?: boolean
}

interface Tools {
  report(line: string): void
}

/** Makes the changes in their order. */
export async function apply(wanted: Wanted, { report }: Tools, changes: readonly Change[]) {
  if (changes.length === 0) report("  as it should be")
  for (const change of changes) {
    report(describe(wanted, change))
    if (!wanted.dryRun) await change.apply()
  }
}

/** Makes changes that do not need each other, some at a time. */
export async function applyTogether(wanted: Wanted, { report }: Tools, changes: readonly Change[]) {
  for (const change of changes) report(describe(wanted, change))
  if (!wanted.dryRun) await inParallel(changes, (change) => change.apply())
}

const describe = ({ dryRun }: Wanted, { says }: Change) => `  ${dryRun ? "would: " : ""}${says}`
