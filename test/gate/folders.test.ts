import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"

const MAP = readFileSync("CONTRIBUTING.md", "utf8").split("## The way of an email")[0] ?? ""

const foldersIn = (path: string) =>
  readdirSync(path, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []))

it.each(["src", "src/worker"])("CONTRIBUTING.md names every folder of %s", (path) => {
  expect(foldersIn(path).filter((name) => !MAP.includes(`${name}/`))).toEqual([])
})
