import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import { libraryCall } from "../../src/reference/library.ts"
import { dashboardEndpoints, endpoints } from "../../src/worker/contract.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
let folder: string
beforeAll(() => {
  mkdirSync(join(root, "dist"), { recursive: true })
  folder = mkdtempSync(join(root, "dist/reference-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const calls = endpoints.filter(({ access }) => access !== "public")

/** The complaints of the compiler about the examples. */
function complaints(examples: readonly string[]): string {
  const client = join(root, "src/client/index.ts")
  const functions = examples.map((text, index) => `export async function f${index}() {\n${text}\n}`)
  writeFileSync(
    join(folder, "examples.ts"),
    `import { readFileSync } from "node:fs"\nimport type { Edgepost } from ${JSON.stringify(client)}\ndeclare const edgepost: Edgepost\n${functions.join("\n")}\n`,
  )
  const config = { extends: join(root, "tsconfig.json"), include: [], files: ["examples.ts"] }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  try {
    return execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" })
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout)
  }
}

it("shows a call of the library for each call with a key, and the compiler takes them all", () => {
  const examples = calls.map((one) => libraryCall(one) ?? "missing()")
  expect(examples.length).toBeGreaterThan(40)
  for (const [index, { name }] of calls.entries()) {
    expect(examples[index]).toContain(`edgepost.${name.replace(/\.(delete|revoke)$/, ".remove")}(`)
  }
  expect(complaints(examples)).toBe("")
}, 60_000)

it("the compiler refuses a wrong example", () => {
  expect(complaints(['await edgepost.emails.send({ from: "a@b.test" })'])).toContain("examples.ts")
}, 60_000)

it("shows no call if the library has no method", () => {
  expect(dashboardEndpoints.map(libraryCall).filter((text) => text !== null)).toEqual([])
})

it("writes members as people do, and leaves texts as they are", () => {
  const [send] = endpoints.filter(({ name }) => name === "emails.send")
  const example = () => ({ subject: 'a "quoted": b', "x-y": 1, tags: { kind: "w" } })
  expect(libraryCall({ ...send!, example })).toBe(
    'await edgepost.emails.send({\n  subject: "a \\"quoted\\": b",\n  "x-y": 1,\n  tags: { kind: "w" }\n})',
  )
})
