import { inject } from "vitest"
import type { TestProject } from "vitest/node"
import type { Credentials } from "../../src/operations/local/demo.ts"
import { type Connection, connect, startDevServer } from "./dev-server.ts"

declare module "vitest" {
  interface ProvidedContext {
    credentials: Credentials
    /** The directory of the server's database. */
    state: string
  }
}

/** One `npm run dev` for all test files that neither kill it nor need a state of their own. */
export default async function setup(project: TestProject) {
  const server = await startDevServer()
  project.provide("credentials", server.credentials)
  project.provide("state", server.state)
  return () => server.dispose()
}

export const sharedServer = (): Connection => connect(inject("credentials"), inject("state"))
