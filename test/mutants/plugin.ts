import { resolve } from "node:path"
import type { Plugin } from "vite"
import { MUTANTS } from "./list.ts"
import { mutate } from "./mutate.ts"

/** Runs the tests over one defect: `MUTANT` has its name. */
export function mutant(name = process.env.MUTANT): Plugin[] {
  const one = MUTANTS.find((mutant) => mutant.name === name)
  if (!name) return []
  if (!one) throw new Error(`No mutant is named '${name}'`)
  return [
    {
      name: "mutant",
      enforce: "pre",
      transform: (code, id) => (id.split("?")[0] === resolve(one.file) ? mutate(one, code) : null),
    },
  ]
}
