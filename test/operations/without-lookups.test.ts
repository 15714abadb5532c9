import { expect, it } from "vitest"
import { withoutFailedLookups } from "../../src/operations/local/without-lookups.ts"

const FAILED = [
  "✘ [ERROR] e = rust/worker/ffi.rs:110: failed: failed to lookup address information: Name or service not known",
  "",
  "  stack: workerd@34dcea9 workerd@26b6840",
  "",
  "",
]

it("leaves out failed look-ups with their stacks, and no other line", () => {
  const other = ["✘ [ERROR] Error: broken", "", "      at file.ts:1", "", "  stack: workerd@1", ""]
  const lines = [...other, ...FAILED, ...FAILED, "text", "", ...FAILED, ...other]
  expect(lines.filter(withoutFailedLookups())).toEqual([...other, "text", "", ...other])
})
