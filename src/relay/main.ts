import * as z from "zod"
import { logTo } from "./log.ts"
import { startRelay } from "./server.ts"
import { relaySettings } from "./settings.ts"

const settings = relaySettings.safeParse(process.env)
if (!settings.success) {
  console.error(`Settings: ${z.prettifyError(settings.error)}`)
  process.exit(1)
}
const log = logTo((line) => process.stdout.write(line))
const relay = await startRelay(settings.data, log)

process.on("SIGHUP", () => relay.reloadCertificate())
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => void relay.stop().then(() => process.exit(0)))
}
