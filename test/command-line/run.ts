import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { inject } from "vitest"
import { run } from "../../src/command-line/program.ts"
import type { FakeApi } from "./fake-api.ts"

export const KEY = "svc_live_a-secret-that-nobody-may-see"

/** Of this process. */
export const folder = mkdtempSync(join(inject("scratch"), "process-"))

interface Options {
  input?: string
  env?: Record<string, string>
  signal?: AbortSignal
  isTTY?: boolean
}

export interface Ran {
  code: number
  out: string
  err: string
  /** Standard output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: output of every shape
  readonly json: any
}

/** The command line in this process, with the API's key in its environment. */
export function start(api: FakeApi, args: string[], options: Options = {}) {
  const { input, env, signal = new AbortController().signal, isTTY = false } = options
  const ran = { code: -1, out: "", err: "" }
  const sink = (name: "out" | "err") => ({
    isTTY,
    write: (text: string | Uint8Array) => {
      ran[name] += typeof text === "string" ? text : Buffer.from(text).toString("latin1")
    },
  })
  const done = run(args, {
    // Without input, as a terminal where nobody types.
    input: Object.assign(Readable.from(input === undefined ? [] : [input]), {
      isTTY: input === undefined,
    }),
    output: sink("out"),
    errors: sink("err"),
    env: env ?? {
      SVC_API_KEY: KEY,
      SVC_BASE_URL: api.baseUrl,
      EDGEPOST_DNS_URL: `${api.baseUrl}/dns-query`,
    },
    signal,
  })
  return { ran, done }
}

export async function runCommand(api: FakeApi, args: string[], options?: Options): Promise<Ran> {
  const { ran, done } = start(api, args, options)
  ran.code = await done
  return {
    ...ran,
    get json() {
      return JSON.parse(ran.out)
    },
  }
}
