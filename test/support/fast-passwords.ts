import { resolve } from "node:path"
import type { Plugin } from "vite"

const PASSWORD = resolve("src/worker/access/people/password.ts")
const REAL = "logN: 14"

/** A hash of a password takes a third of a second, by intent. In the tests it takes a millisecond. */
export const fastPasswords = (): Plugin => ({
  name: "fast-passwords",
  transform(code, id) {
    if (id !== PASSWORD) return null
    if (!code.includes(REAL)) throw new Error(`${id} has no "${REAL}"`)
    return code.replace(REAL, "logN: 5")
  },
})
