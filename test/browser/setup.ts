import type { TestProject } from "vitest/node"
import type { Credentials } from "../../src/operations/demo.ts"
import { startDevServer } from "../system/dev-server.ts"

declare module "vitest" {
  interface ProvidedContext {
    credentials: Credentials
    /** The directory of the server's database. */
    state: string
  }
}

/** One `npm run dev` for all browser tests. */
export default async function setup(project: TestProject) {
  const server = await startDevServer()
  project.provide("credentials", server.credentials)
  project.provide("state", server.state)
  return () => server.dispose()
}
