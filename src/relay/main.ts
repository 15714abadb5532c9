import * as z from "zod"
import { endWithNpm } from "../lib/end-with-npm.ts"
import { plainIssue } from "../lib/plain-issue.ts"
import { logTo } from "./log.ts"
import { startRelay } from "./server.ts"
import { relaySettings } from "./settings.ts"

const settings = relaySettings.safeParse(process.env, { error: plainIssue })
if (!settings.success) fail(`Settings: ${z.prettifyError(settings.error)}`)
const log = logTo((line) => process.stdout.write(line))
const relay = await startRelay(settings.data, log).catch((error: Error) =>
  fail(`The relay cannot start: ${error.message}`),
)

endWithNpm("relay")
process.on("SIGHUP", () => relay.reloadCertificate())
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => void relay.stop().then(() => process.exit(0)))
}

function fail(reason: string): never {
  console.error(reason)
  process.exit(1)
}
