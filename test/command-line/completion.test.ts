import { execFileSync } from "node:child_process"
import { Readable } from "node:stream"
import type { Command } from "commander"
import { describe, expect, it } from "vitest"
import { placesOf } from "../../src/command-line/completion.ts"
import { createProgram } from "../../src/command-line/program.ts"
import { startApi } from "./fake-api.ts"
import { runCommand } from "./run.ts"

const api = await startApi()
const sink = { write: () => {} }
const program = createProgram({
  input: Readable.from([]),
  output: sink,
  errors: sink,
  env: {},
  signal: new AbortController().signal,
})
const script = async (shell: string) => (await runCommand(api, ["completion", shell])).out

/** Asks a real bash what follows the words; the last one is being typed. */
async function complete(...words: string[]): Promise<string[]> {
  const asked = `
COMP_WORDS=(edgepost ${words.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=${words.length}
_edgepost
printf '%s\\n' "\${COMPREPLY[@]}"`
  const input = `set -u\n${await script("bash")}\n${asked}`
  return execFileSync("bash", ["--norc"], { input, encoding: "utf8" }).split("\n").filter(Boolean)
}

describe("bash completes", () => {
  it.each([
    [["em"], ["emails"]],
    [["emails", "ex"], ["explain"]],
    [
      ["--profile", "production", "templates", "pu"],
      ["pull", "push"],
    ],
    [["templates", "push", "--dry"], ["--dry-run"]],
    [["emails", "list", "--json", "--st"], ["--status"]],
    [["emails", "list", "--prof"], ["--profile"]],
    [["nonsense", "x"], []],
  ])("%j", async (words, expected) => {
    expect(await complete(...words)).toEqual(expected)
  })

  it("every command at the top", async () => {
    const words = await complete("")
    expect(words).toEqual(expect.arrayContaining(program.commands.map((one) => one.name())))
  })
})

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)]
}

it("each command and each of its options is completed", () => {
  const places = placesOf(program)
  expect(places.map(({ words }) => words.split(" ").at(-1))).toEqual(
    allOf(program).map((one) => (one === program ? "" : one.name())),
  )
  for (const [index, command] of allOf(program).entries()) {
    const own = command.options.map(({ long }) => long)
    const known = places[index]?.next.map(({ word }) => word)
    expect(known).toEqual(expect.arrayContaining([...own, "--json"]))
  }
})

it.each(["zsh", "fish"])("%s gets each place with a description of each word", async (shell) => {
  const text = await script(shell)
  for (const { words, next } of placesOf(program)) {
    expect(text).toContain(shell === "fish" ? `= "${words}"'` : `'${words}')`)
    for (const { word } of next) expect(text).toContain(word.replace(/^--/, ""))
  }
})

it("a shell other than bash, zsh and fish is refused", async () => {
  expect(await runCommand(api, ["completion", "tcsh"])).toMatchObject({ code: 2 })
})
