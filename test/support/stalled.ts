import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from "vitest/node"

/** Added to the longest limit of the running tests: hooks, and loading a file, take time, too. */
const SILENCE_MS = 180_000
/** After the last file, only the pool has to end. */
const ENDING_MS = 5_000

/**
 * When nothing happens any more in a run, it runs the files that did not end once more, in a new
 * process. The pool that runs tests inside workerd stops now and then, without an error:
 * https://github.com/cloudflare/workers-sdk/issues/15498
 */
export default class Stalled implements Reporter {
  private vitest: Vitest | undefined
  private readonly open = new Map<string, TestSpecification>()
  private readonly begun = new Set<string>()
  /** The limit of each running test, in milliseconds. */
  private readonly running = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined
  private hasStalled = false

  onInit(vitest: Vitest) {
    this.vitest = vitest
  }

  onTestRunStart(files: readonly TestSpecification[]) {
    for (const file of files) this.open.set(key(file.project.name, file.moduleId), file)
    this.wait()
  }

  onTestModuleQueued({ project, moduleId }: TestModule) {
    this.begun.add(key(project.name, moduleId))
    this.wait()
  }

  onTestCaseReady({ id, options }: TestCase) {
    this.running.set(id, options.timeout ?? 0)
    this.wait()
  }

  onTestCaseResult({ id }: TestCase) {
    this.running.delete(id)
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
    const silence =
      this.open.size > 0 ? SILENCE_MS + Math.max(0, ...this.running.values()) : ENDING_MS
    this.timer = setTimeout(() => this.runAgain(), silence)
  }

  private async runAgain() {
    this.hasStalled = true
    const files = [...this.open.values()]
    const names = files.map(({ project, moduleId }) => {
      const name = key(project.name, moduleId)
      return `  ${name}${this.begun.has(name) ? ", which had begun" : ""}`
    })
    console.error(
      files.length > 0
        ? `\nNothing happens any more. These files did not end:\n${names.join("\n")}`
        : "\nAll files have ended, and the pool did not.",
    )
    const hasFailed = (this.vitest?.state.getCountOfFailedTests() ?? 0) > 0
    if (files.length === 0) {
      for (const failed of this.failures()) console.error(failed)
      process.exit(hasFailed ? 1 : 0)
    }
    if (process.env.STALLED || this.vitest?.config.watch) process.exit(1)
    const projects = new Set(files.map(({ project }) => `--project=${project.name}`))
    const mode = `--mode=${this.vitest?.config.mode}`
    const again = [
      process.argv[1],
      "run",
      mode,
      ...projects,
      ...files.map(({ moduleId }) => moduleId),
    ]
    const [code] = await once(
      spawn(process.execPath, again as string[], {
        stdio: "inherit",
        env: { ...process.env, STALLED: "yes" },
      }),
      "exit",
    )
    process.exit(hasFailed || code !== 0 ? 1 : 0)
  }

  /** What the report at the end would have said. */
  private failures(): string[] {
    const modules = this.vitest?.state.getTestModules() ?? []
    return modules.flatMap(({ children, relativeModuleId }) =>
      [...children.allTests("failed")].map((test) => {
        const stacks = test.result().errors?.map(({ stack }) => stack) ?? []
        return [`FAIL ${relativeModuleId} > ${test.fullName}`, ...stacks].join("\n")
      }),
    )
  }
}

const key = (project: string, file: string) => `${project} ${file}`
