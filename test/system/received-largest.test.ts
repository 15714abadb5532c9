import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { FORMS, MIB } from "../support/read-largest.ts"

const MOST_MIB = 64

it.each(Object.keys(FORMS))(
  "a message of 25 MiB of %s takes at most 64 MiB to read, and other calls have their turn",
  async (form) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--no-warnings",
      // Garbage that is not collected yet does not count.
      "--max-semi-space-size=1",
      "test/support/read-largest.ts",
      form,
    ])
    const { memory, parsing, hashing, size } = JSON.parse(stdout)
    expect(memory / MIB).toBeLessThan(MOST_MIB)
    expect(parsing).toBeGreaterThanOrEqual(3)
    expect(hashing).toBe(Math.ceil(size / (8 * MIB)) - 1)
  },
)
