import { existsSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"

const text = readFileSync("CONTRIBUTING.md", "utf8")
const [, way = ""] = text.split("## The way of an email\n")
const filesIn = (part: string) => [...part.matchAll(/`([a-z/-]+\.ts)`/g)].map(([, file]) => file)

it("the way of an email has at most 38 files, and crosses none twice", () => {
  const [steps = ""] = way.split("\nAsked on the way")
  const files = filesIn(steps)
  expect(files).toEqual([...new Set(files)])
  expect(files.length).toBeGreaterThan(30)
  expect(files.length).toBeLessThanOrEqual(38)
})

it("the way of an email names files that there are", () => {
  const [section = ""] = way.split("\n## ")
  expect(filesIn(section).filter((file) => !existsSync(`src/${file}`))).toEqual([])
})
