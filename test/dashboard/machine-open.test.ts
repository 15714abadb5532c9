import { expect, it } from "vitest"
import { machineOpen } from "../../src/dashboard/pages/emails/email/machine-open.ts"

it("recognizes images that a machine loads ahead, but not opens through Gmail's proxy", () => {
  const ahead =
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0"
  const opened =
    "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"
  expect(machineOpen(ahead)).toContain("Gmail")
  expect(machineOpen("Mozilla/5.0")).toContain("Apple Mail")
  expect(machineOpen(opened)).toBeUndefined()
  expect(machineOpen(undefined)).toBeUndefined()
})
