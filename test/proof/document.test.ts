import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { readmeFigures, section, withFigures } from "./document.ts"
import { type Result, readResults } from "./result.ts"

const results = readResults()

it("the readme has the figures of the results: npm run proof writes them", () => {
  const readme = readFileSync("README.md", "utf8")
  expect(withFigures(readme, readmeFigures(results))).toBe(readme)
})

it.each([...results.keys()])(
  "docs/proof.md has the result of %s: npm run proof writes it",
  (file) => {
    const result = results.get(file)
    expect(readFileSync("docs/proof.md", "utf8")).toContain(section(result as Result))
  },
)

it("no result names a path or a host of the machine", () => {
  const text = JSON.stringify([...results])
  expect(text).not.toMatch(/\/(home|root|work|tmp|Users)\//)
  expect(text).not.toMatch(/"host(name)?"/)
})
