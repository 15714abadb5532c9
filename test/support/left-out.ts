import type { Reporter, TestModule, Vitest } from "vitest/node"

/** Ends the run with what `runIf` left out because this machine lacks a program. */
export default class LeftOut implements Reporter {
  private hasNamePattern = false

  onInit({ config }: Vitest) {
    this.hasNamePattern = config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]) {
    if (this.hasNamePattern) return
    const skipped = modules.flatMap(({ children, relativeModuleId }) =>
      [...children.allTests("skipped")].map((test) => `  ${relativeModuleId}: ${test.fullName}`),
    )
    if (skipped.length === 0) return
    console.log(`\nLeft out, a program is not installed here:\n${skipped.join("\n")}`)
  }
}
