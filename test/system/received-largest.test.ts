import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { FORMS, MIB } from "../support/read-largest.ts"

const MOST_MIB = 64
/** In multiples of the time to look at each byte of 25 MiB. Two are some 50 ms. */
const MOST_A_STEP = 2

it.each(Object.keys(FORMS))(
  "a message of 25 MiB of %s takes at most 64 MiB to read, and short steps",
  async (form) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--no-warnings",
      // Garbage that is not collected yet does not count.
      "--max-semi-space-size=1",
      "test/support/read-largest.ts",
      form,
    ])
    const { memory, step } = JSON.parse(stdout)
    expect(memory / MIB).toBeLessThan(MOST_MIB)
    expect(step).toBeLessThan(MOST_A_STEP)
  },
)
