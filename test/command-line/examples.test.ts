import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { createProgram } from "../../src/command-line/program.ts"
import { examplesOf } from "../../src/command-line/terminal/examples.ts"
import { startApi } from "./fake-api.ts"
import { folder, KEY } from "./run.ts"
import { routes, theirRoutes, writeFiles } from "./samples.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const api = await startApi(routes)
const theirs = await startApi(theirRoutes)
const sink = { write: () => {} }
const program = createProgram({
  input: Readable.from([]),
  output: sink,
  errors: sink,
  env: {},
  signal: new AbortController().signal,
})

// The bundle starts three times as fast as the sources.
const bin = join(folder, "bin")
mkdirSync(bin)
const script = `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/package/command.js")}" "$@"\n`
writeFileSync(join(bin, "edgepost"), script)
chmodSync(join(bin, "edgepost"), 0o755)
writeFiles(folder)

/** An example as a reader would type it. One that goes on for ever is ended after its first line. */
function shell(line: string, env: Record<string, string>) {
  const child = spawn("sh", ["-c", line], { cwd: folder, env, detached: true })
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const ran = { code: null as number | null, out: "", err: "" }
    const goesOn = /\b(tail|listen|follow)\b/.test(line)
    child.stdin.end()
    child.stderr.on("data", (data) => {
      ran.err += data
    })
    child.stdout.on("data", (data) => {
      ran.out += data
      if (goesOn && child.pid) process.kill(-child.pid, "SIGTERM")
    })
    child.on("close", (code) => resolve({ ...ran, code: goesOn ? 0 : code }))
  })
}

const lines = examplesOf(program).map((line) => [line])

it.each(lines)("works as the help shows it: %s", { timeout: 30_000 }, async (line) => {
  const settings = {
    SVC_API_KEY: KEY,
    SVC_BASE_URL: api.baseUrl,
    RESEND_API_KEY: "re_123",
    RESEND_BASE_URL: theirs.baseUrl,
    LISTMONK_USER: "importer",
    LISTMONK_TOKEN: "token",
    PLUNK_API_KEY: "sk_123",
    PLUNK_BASE_URL: theirs.baseUrl,
    EDGEPOST_DNS_URL: `${api.baseUrl}/dns-query`,
  }
  const PATH = `${bin}:${process.env.PATH}`
  const env = { PATH, EDGEPOST_CONFIG: join(folder, "examples.json"), ...settings }
  const runnable = line
    .replace(/(login) http\S+/, `$1 ${api.baseUrl}`)
    .replace(/(listmonk) http\S+/, `$1 ${theirs.baseUrl}`)
  const telling = setInterval(() => {
    api.change("email", "em_1")
    api.change("received", "rcv_1")
  }, 200)
  const ran = await shell(runnable, env).finally(() => clearInterval(telling))
  expect(ran).toMatchObject({ code: 0, err: "" })
  expect(ran.out).not.toBe("")
  expect(ran.out).not.toContain(KEY)
})

it("every command has a help with examples", () => {
  const bare = allOf(program).filter((one) => one.commands.length === 0 && !examplesOf(one).length)
  expect(bare.map((one) => one.name())).toEqual([])
})

function allOf(command: typeof program): (typeof program)[] {
  return [command, ...command.commands.flatMap(allOf)]
}
