import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./command.ts"

const read = (path: string) => readFileSync(join(root, path), "utf8")

/** A setting is named somewhere in the sources, or is one of the tests. */
export const isSetting = (name: string) =>
  spawnSync("grep", ["-rqw", name, "src", "vitest.config.ts"], { cwd: root }).status === 0

/** Scripts, files, settings and options that a command names must exist. Throws otherwise. */
export function checkNames(text: string): void {
  const { scripts } = JSON.parse(read("package.json"))
  for (const [, name = ""] of text.matchAll(/\bnpm run ([\w:-]+)/g)) {
    if (!scripts[name]) throw new Error(`There is no script ${name}`)
  }
  for (const [path] of text.matchAll(/\bsrc\/[\w/.-]+/g)) {
    if (!existsSync(join(root, path))) throw new Error(`There is no file ${path}`)
  }
  for (const [, name = ""] of text.matchAll(/(?<![\w$])([A-Z]+(?:_[A-Z]+)+)=/g)) {
    if (!isSetting(name)) throw new Error(`There is no setting ${name}`)
  }
  const [, words] = /^npx wrangler ((?:[a-z][a-z0-9-]* ?)+)/.exec(text) ?? []
  if (words) checkWrangler(words.trim().split(" "), text)
}

function checkWrangler(words: string[], text: string): void {
  const commands = words.filter((word) => !word.startsWith("edgepost"))
  const help = execFileSync("npx", ["wrangler", ...commands, "--help"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  })
  if (!help.includes(`wrangler ${commands.join(" ")}`)) throw new Error(`No command: ${words}`)
  for (const [flag] of text.matchAll(/(?<=\s)--[\w-]+/g)) {
    if (!help.includes(flag)) throw new Error(`wrangler ${commands.join(" ")} has no ${flag}`)
  }
}
