import { expect, it } from "vitest"

const sources = import.meta.glob<string>("../../../../src/worker/**/*.ts", {
  eager: true,
  query: "?raw",
  import: "default",
} as { eager: true })

it("no raw statement has a limit that SQLite compiles again at every run", () => {
  expect(Object.keys(sources).length).toBeGreaterThan(500)
  const isBare = (source: string) => /\blimit \$\{(?!sql\.raw)/.test(source)
  // A move writes the number of rows into the text.
  const files = Object.keys(sources).filter((file) => !file.includes("/teams/moving/"))
  expect(files.filter((file) => isBare(sources[file] ?? ""))).toEqual([])
})
