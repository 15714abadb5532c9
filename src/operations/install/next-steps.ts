import { installationNames, settingsFile } from "../installation.ts"
import type { Installed } from "./install.ts"

export function nextSteps(name: string, { baseUrl, claimCode }: Installed): string {
  const remote = installationNames().length < 2 ? "--remote" : `--remote=${name}`
  const ready = `\n${baseUrl} is ready.`
  if (claimCode === null) return ready
  return `${ready}

  1. Claim it: ${baseUrl}/dashboard/claim
     Code: ${claimCode}
     It works once, within 24 hours. A new one: run this command again.
     Without the dashboard: npm run team -- "Our team" owner@example.com ${remote}
  2. Add the domain that you send from, and set the DNS records that are shown.
  3. Send a test to yourself.

Mail goes to the sandbox until PROVIDER is set in ${settingsFile(name)}: see docs/providers.md.`
}
