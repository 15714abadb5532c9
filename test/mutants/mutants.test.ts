import { existsSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { MUTANTS } from "./list.ts"
import { mutate } from "./mutate.ts"

it("each mutant has a name of its own", () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
})

it.each(MUTANTS)("$name: its edit fits the source", (mutant) => {
  const source = readFileSync(mutant.file, "utf8")
  expect(mutate(mutant, source)).not.toBe(source)
})

it.each(MUTANTS)("$name: its tests are there", ({ tests }) => {
  expect(tests.filter((file) => !existsSync(file))).toEqual([])
})
