import type { Edgepost } from "../../client/index.ts"

/** Where the records go. A dry run only reads. */
export interface Target {
  client: Edgepost
  isDry: boolean
}

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

export interface Report {
  dryRun: boolean
  parts: Record<string, Part>
  leftBehind: readonly string[]
}

/** What another service has, and how each part of it comes over, in this order. */
export interface Source {
  steps: Record<string, (target: Target) => Promise<Part>>
  /** Data that the service does not show, or that Edgepost cannot store. */
  leftBehind: readonly string[]
}

export async function importFrom(
  { steps, leftBehind }: Source,
  target: Target,
  only: readonly string[] | undefined,
  progress: (text: string) => void,
): Promise<Report> {
  const parts: Report["parts"] = {}
  for (const [name, step] of Object.entries(steps)) {
    if (only && !only.includes(name)) continue
    progress(`Reading ${name} ...`)
    parts[name] = await step(target)
  }
  return { dryRun: target.isDry, parts, leftBehind }
}
