export interface Part {
  found: number
  added: number
  changed: number
  /** How many existed before. */
  kept: number
  failed: { what: string; why: string }[]
  notes: string[]
}

export const newPart = (): Part => ({
  found: 0,
  added: 0,
  changed: 0,
  kept: 0,
  failed: [],
  notes: [],
})

/** Counts what a step did with one record. A failure is in the report, and the import goes on. */
export async function take(
  part: Part,
  what: string,
  step: () => Promise<"added" | "changed" | "kept">,
): Promise<void> {
  part.found++
  try {
    part[await step()]++
  } catch (error) {
    part.failed.push({ what, why: (error as Error).message })
  }
}
