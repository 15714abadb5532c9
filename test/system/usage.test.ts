import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "vitest"

const directory = mkdtempSync(join(tmpdir(), "edgepost-usage-"))
afterAll(() => rmSync(directory, { recursive: true }))

const run = (command: string, ...args: string[]) =>
  spawnSync("node", [resolve(`src/operations/${command}.ts`), ...args], {
    cwd: directory,
    encoding: "utf8",
  })

/** Each command with words that it takes. */
const COMMANDS: Record<string, string[]> = {
  backup: ["backup.sql"],
  "dead-letters": ["replay", "all"],
  databases: ["add", "1", "second"],
  deploy: ["https://mail.example.com", "second"],
  destroy: ["second"],
  erase: ["team_01KAHTZ9QGX4N7C2D5E8RVW3MB", "ada@example.com"],
  restore: ["2026-11-22T10:00:00Z"],
  "rotate-keys": [],
  team: ["Our team", "owner@example.com"],
}

describe.each(Object.entries(COMMANDS))("npm run %s", (command, words) => {
  it("prints its usage for --help", () => {
    const { status, stdout, stderr } = run(command, "--help")
    expect([status, stderr]).toEqual([0, ""])
    expect(stdout).toMatch(new RegExp(`^npm run ${command}\\b`))
  })

  it.each([
    ["--remot", "Unknown option '--remot'\n"],
    ["--remote:second", "Unknown option '--remote:second'\n"],
    ["more", "Unexpected argument 'more'\n"],
  ])("refuses %s, and does nothing", (given, fault) => {
    const { status, stdout, stderr } = run(command, ...words, given)
    expect([status, stderr]).toEqual([1, fault])
    expect(stdout).toMatch(new RegExp(`^npm run ${command}\\b`))
    expect(readdirSync(directory)).toEqual([])
  })
})

it("what a deployment loads late is loaded by Node alone, as the commands are", () => {
  const late = resolve("src/worker/access/people/claiming/claim-code.ts")
  const program = `const { newClaimCode } = await import(${JSON.stringify(late)}); console.log(newClaimCode(0).code)`
  const { status, stdout } = spawnSync("node", ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  })
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^\S{24}\n$/)])
})
