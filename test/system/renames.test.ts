import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/** Only raw SQL reads these names. */
const RENAMES = [
  { name: "eventTypes", file: "src/emails/table.ts", what: "a column" },
  { name: "suppressionId", file: "src/outcomes/record.ts", what: "a key of JSON rows" },
]

describe("the compiler, in a copy of the sources with two renames,", () => {
  const copy = mkdtempSync(join(tmpdir(), "edgepost-renames-"))
  let errors = ""

  beforeAll(() => {
    for (const path of ["src", "tsconfig.json"]) cpSync(path, join(copy, path), { recursive: true })
    symlinkSync(resolve("node_modules"), join(copy, "node_modules"))
    for (const { name, file } of RENAMES) {
      const path = join(copy, file)
      writeFileSync(path, readFileSync(path, "utf8").replace(`${name}:`, "renamed:"))
    }
    errors = spawnSync(resolve("node_modules/.bin/tsc"), { cwd: copy, encoding: "utf8" }).stdout
  })

  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it.each(RENAMES)("fails where SQL reads $what by its old name", ({ name }) => {
    expect(errors).toContain(`Property '${name}' does not exist`)
  })

  it("fails nowhere else", () => {
    const unexpected = errors
      .split("\n")
      .filter(
        (line) => line.includes("error TS") && !RENAMES.some(({ name }) => line.includes(name)),
      )
    expect(unexpected).toEqual([])
  })
})
