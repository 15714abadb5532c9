import { env as installation } from "cloudflare:workers"
import {
  DIRECTORY,
  databaseEnv,
  databaseNumbers,
} from "../../../src/worker/platform/db/databases.ts"

export { exports } from "cloudflare:workers"

const further = databaseNumbers(installation).filter((number) => number !== DIRECTORY)
let files = 0

/** Each test file has its teams in the next database. */
export const env = { ...installation, ...databaseEnv(installation, further[0] ?? DIRECTORY) }

export function chooseNextDatabase(): void {
  const number = further[files++ % further.length] ?? DIRECTORY
  Object.assign(env, databaseEnv(installation, number))
}
