import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { clientTypes } from "../../src/operations/reference/client-types.ts"

const pathTo = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

it("the client's types are those of the contract: `npm run client-types` writes them", () => {
  const file = pathTo("src/client/types.ts")
  const biome = pathTo("node_modules/@biomejs/biome/bin/biome")
  const formatted = execFileSync(
    process.execPath,
    [biome, "check", "--write", `--stdin-file-path=${file}`],
    { input: clientTypes(), encoding: "utf8" },
  )
  expect(readFileSync(file, "utf8")).toBe(formatted)
}, 30_000)
