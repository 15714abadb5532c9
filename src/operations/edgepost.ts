#!/usr/bin/env node
import { run } from "../command-line/program.ts"

// The reader of a pipe may close it early, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit(0)
})

const stop = new AbortController()

process.exitCode = await run(process.argv.slice(2), {
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
  env: process.env,
  /** A command that reads the signal ends by itself; the second Ctrl-C ends it at once. */
  get signal() {
    for (const name of ["SIGINT", "SIGTERM"]) {
      if (process.listenerCount(name) === 0) process.once(name, () => stop.abort())
    }
    return stop.signal
  },
})
