import { expect, it } from "vitest"

const sources = import.meta.glob<string>(
  // A move writes its limits into the text.
  ["../../../../src/worker/**/*.ts", "!**/teams/moving/*.ts"],
  { eager: true, query: "?raw", import: "default" },
)

it("no raw statement has a limit that SQLite compiles again at every run", () => {
  expect(Object.keys(sources).length).toBeGreaterThan(500)
  const isBare = (source: string) => /\blimit \$\{(?!sql\.raw)/.test(source)
  expect(Object.keys(sources).filter((file) => isBare(sources[file] ?? ""))).toEqual([])
})
