import { spawn } from "node:child_process"
import { once } from "node:events"
import { buildPages } from "../../src/operations/build-pages.ts"
import { unpackChromium } from "./chromium.ts"

/** Pages wait more than they compute. Each process has a server of its own. */
const SHARDS = 2

const vitest = async (...args: string[]): Promise<boolean> => {
  const [code] = await once(spawn("npx", ["vitest", "run", ...args], { stdio: "inherit" }), "exit")
  return code === 0
}

// Two processes must not build or unpack the same files at once.
await buildPages()
await unpackChromium()
const shards = Array.from({ length: SHARDS }, (_, index) =>
  vitest("--project", "browser", "--shard", `${index + 1}/${SHARDS}`),
)
const passed = await Promise.all(shards)
passed.push(await vitest("--project", "browser-alone"))
process.exitCode = passed.every(Boolean) ? 0 : 1
