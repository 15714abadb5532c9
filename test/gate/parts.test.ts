import { existsSync, globSync } from "node:fs"
import { expect, it } from "vitest"
import { MUTANTS } from "../mutants/list.ts"
import { chooseDatabases } from "../support/spread/choose.ts"
import { GATE, NIGHTLY, ONLY_NIGHTLY, type Part } from "./parts.ts"
import { triggeredParts } from "./triggered.ts"

const namedFiles = (parts: readonly Part[]) =>
  parts.flatMap(({ command }) => command.match(/test\/\S+/g) ?? [])
const NAMED = namedFiles([...GATE, ...NIGHTLY])
const OF_NPM_TEST =
  /^test\/(worker|lib|dashboard|reference|client|command-line|mutants|gate|proof)\//

it.each(NIGHTLY)("a change of a path runs $name in the gate", ({ name, paths }) => {
  expect(paths.length).toBeGreaterThan(0)
  for (const path of paths) {
    expect(existsSync(path), path).toBe(true)
    expect(triggeredParts(NIGHTLY, [`${path}x`]).map((part) => part.name)).toContain(name)
  }
})

it("a change of documents alone runs no seeds", () => {
  const names = triggeredParts(NIGHTLY, ["docs/operations.md"]).map(({ name }) => name)
  expect(names).toEqual(["documents"])
})

it("without a known change all parts are run", () => {
  expect(triggeredParts(NIGHTLY, null)).toHaveLength(NIGHTLY.length)
})

it("every test file is run by `npm test` or by a part that names it", () => {
  const files = globSync("test/**/*.test.ts").filter(
    (file) => ONLY_NIGHTLY.includes(file) || !OF_NPM_TEST.test(file),
  )
  const ofOwnCommand = /^test\/(browser|bench|generators)\//
  const left = files.filter(
    (file) => !ofOwnCommand.test(file) && !NAMED.some((name) => file.startsWith(name)),
  )
  const measured = ["noisy-neighbour", "received-largest"]
  expect(left).toEqual(measured.map((name) => `test/system/${name}.test.ts`))
})

it("every command names files that exist", () => {
  expect(NAMED.filter((name) => !existsSync(name))).toEqual([])
})

it.each(MUTANTS)("the gate tests a change that brings $name", ({ file, tests }) => {
  const named = namedFiles(triggeredParts(NIGHTLY, [file]))
  const isRun = (test: string) =>
    (OF_NPM_TEST.test(test) && !ONLY_NIGHTLY.includes(test)) ||
    named.some((name) => test.startsWith(name))
  expect(tests.some(isRun)).toBe(true)
})

it("two days run each file with one database and with three", () => {
  const choose = (day: number) =>
    chooseDatabases({
      files: "test/worker/**/*.test.ts",
      exclude: [],
      oneDatabase: ["test/worker/health.test.ts"],
      mode: "mixed",
      day,
    })
  const [today, tomorrow] = [choose(20_000), choose(20_001)]
  const all = globSync("test/worker/**/*.test.ts").sort()
  expect([...today.one, ...today.several].sort()).toEqual(all)
  expect(today.one.filter((file) => tomorrow.one.includes(file))).toEqual([
    "test/worker/health.test.ts",
  ])
  expect(Math.abs(today.one.length - today.several.length)).toBeLessThan(all.length / 4)
})
