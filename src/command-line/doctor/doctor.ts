import type { Command } from "commander"
import { createSession } from "../session/session.ts"
import { withExamples } from "../terminal/examples.ts"
import { Failed } from "../terminal/failure.ts"
import { clean } from "../terminal/paint.ts"
import type { Terminal } from "../terminal/terminal.ts"
import {
  type Check,
  checkClock,
  checkCron,
  checkDomains,
  checkKey,
  checkProvider,
  checkQueue,
  checkStream,
  type Installation,
} from "./checkup.ts"
import { checkDns, checkLinks, checkSandbox, checkService } from "./checkup-outside.ts"
import { sendTrial } from "./trial.ts"

const PARTS: Record<string, Check> = {
  service: checkService,
  key: checkKey,
  clock: checkClock,
  provider: checkProvider,
  sandbox: checkSandbox,
  domains: checkDomains,
  dns: checkDns,
  queue: checkQueue,
  cron: checkCron,
  stream: checkStream,
  links: checkLinks,
}

interface Finding {
  part: string
  ok: boolean
  /** What is wrong and how to fix it. */
  mend: string | null
}

export function addDoctor(program: Command, terminal: Terminal): void {
  const command = program
    .command("doctor")
    .summary("look whether everything works, and say how to mend what does not")
    .description(
      "Look whether everything works, and say how to mend what does not: service, key, clock,\n" +
        "provider, sandbox, domains, their DNS as seen from here, queue, cron, stream, links in mail.\n" +
        "EDGEPOST_DNS_URL sets another server of DNS over HTTPS.",
    )
    .option("--to <address>", "also send an email to this address, and follow it")
    .action(async ({ to }: { to?: string }) => {
      const { client, baseUrl, print, paint } = createSession(command, terminal)
      const patient = { client, baseUrl, env: terminal.env }
      const parts = to ? { ...PARTS, sending: (one: Installation) => sendTrial(one, to) } : PARTS
      const checks = await Promise.all(Object.entries(parts).map((part) => look(part, patient)))
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
  withExamples(
    command,
    "edgepost doctor",
    "edgepost doctor --json",
    "edgepost doctor --to success@simulator.amazonses.com",
  )
}

async function look([part, check]: [string, Check], patient: Installation): Promise<Finding> {
  const mend = await check(patient).catch((error: Error) => error.message)
  return { part, ok: mend === null, mend }
}
