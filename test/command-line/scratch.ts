import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    scratch: string
  }
}

/** A folder for the files that these tests write. The last hook of a test file comes too early to delete it. */
export default function setup(project: TestProject) {
  const scratch = mkdtempSync(join(tmpdir(), "edgepost-command-"))
  project.provide("scratch", scratch)
  return () => rmSync(scratch, { recursive: true, force: true })
}
