import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

export type Figures = Record<string, number | string>

/** Writes what a run has measured, as docs/proof.md quotes it. */
export function writeProof(file: string, name: string, command: string, figures: Figures): void {
  const date = new Date().toISOString().slice(0, 10)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ name, date, command, figures }, null, 2)}\n`)
}
