import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Reporter, TestModule, TestSpecification, Vitest } from "vitest/node"

/** Twice what any test or hook of a whole run takes. */
const SILENCE_MS = 240_000

/**
 * Ends a run in which nothing happens any more, and runs the files that did not end once more. The pool
 * that runs tests inside workerd stops now and then, without an error:
 * https://github.com/cloudflare/workers-sdk/issues/15498
 */
export default class Stalled implements Reporter {
  private vitest: Vitest | undefined
  private readonly open = new Map<string, TestSpecification>()
  private timer: NodeJS.Timeout | undefined
  private hasStalled = false

  onInit(vitest: Vitest) {
    this.vitest = vitest
  }

  onTestRunStart(files: readonly TestSpecification[]) {
    for (const file of files) this.open.set(key(file.project.name, file.moduleId), file)
    this.wait()
  }

  onTestCaseResult() {
    this.wait()
  }

  onHookEnd() {
    this.wait()
  }

  onTestModuleEnd({ project, moduleId }: TestModule) {
    this.open.delete(key(project.name, moduleId))
    this.wait()
  }

  onTestRunEnd() {
    clearTimeout(this.timer)
  }

  private wait() {
    clearTimeout(this.timer)
    if (this.hasStalled) return
    this.timer = setTimeout(() => this.runAgain(), SILENCE_MS)
  }

  private async runAgain() {
    this.hasStalled = true
    const files = [...this.open.values()]
    const names = files.map(({ project, moduleId }) => `  ${project.name} ${moduleId}`)
    console.error(`\nNo test ended for ${SILENCE_MS / 1_000} s. Not ended:\n${names.join("\n")}`)
    const hasFailed = (this.vitest?.state.getCountOfFailedTests() ?? 0) > 0
    if (process.env.STALLED || this.vitest?.config.watch) process.exit(1)
    const projects = new Set(files.map(({ project }) => `--project=${project.name}`))
    const again = [process.argv[1], "run", ...projects, ...files.map(({ moduleId }) => moduleId)]
    const [code] = await once(
      spawn(process.execPath, again as string[], {
        stdio: "inherit",
        env: { ...process.env, STALLED: "yes" },
      }),
      "exit",
    )
    process.exit(hasFailed || code !== 0 ? 1 : 0)
  }
}

const key = (project: string, file: string) => `${project} ${file}`
