import type { Command } from "commander"
import {
  checkClock,
  checkCron,
  checkDomains,
  checkKey,
  checkQueue,
  checkStream,
} from "./checkup.ts"
import { withExamples } from "./examples.ts"
import { Failed } from "./failure.ts"
import { clean } from "./paint.ts"
import { openSession } from "./session.ts"
import type { Terminal } from "./terminal.ts"

const PARTS = {
  key: checkKey,
  clock: checkClock,
  domains: checkDomains,
  queue: checkQueue,
  cron: checkCron,
  stream: checkStream,
}

export function addDoctor(program: Command, terminal: Terminal): void {
  const command = program
    .command("doctor")
    .description("Look whether everything works, and say how to mend what does not")
    .action(async () => {
      const { client, print, paint } = openSession(command, terminal)
      const checks = await Promise.all(
        Object.entries(PARTS).map(async ([part, check]) => {
          const mend = await check(client).catch((error: Error) => error.message)
          return { part, ok: mend === null, mend }
        }),
      )
      const lines = checks.map(({ part, ok, mend }) => {
        const name = part.padEnd(8)
        return ok
          ? `${paint("green", "ok")}    ${name}`.trimEnd()
          : `${paint("red", "wrong")} ${name} ${clean(mend!)}`
      })
      const isHealthy = checks.every(({ ok }) => ok)
      print({ ok: isHealthy, checks }, lines.join("\n"))
      if (!isHealthy) throw new Failed()
    })
  withExamples(command, "edgepost doctor", "edgepost doctor --json")
}
