import { logError } from "../../lib/log.ts"
import type { Work } from "./context.ts"
import { createDb } from "./db/client.ts"
import { directoryOf } from "./db/databases.ts"
import { type Env, readSettings } from "./env.ts"

export function createWork(env: Env, execution: Pick<ExecutionContext, "waitUntil">): Work {
  const defer = (work: Promise<unknown>) =>
    execution.waitUntil(work.catch((error) => logError(error, { deferred: true })))
  return {
    env,
    settings: readSettings(env),
    db: createDb(env.DB),
    directory: directoryOf(env),
    now: () => Date.now(),
    defer,
    detach: defer,
  }
}
