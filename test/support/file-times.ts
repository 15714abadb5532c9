import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Reporter, TestModule } from "vitest/node"
import type { FileTime } from "../gate/run.ts"

/** Writes how long each test file took into the folder `FILE_TIMES`, for the summary of the gate. */
export default class FileTimes implements Reporter {
  private readonly times: FileTime[] = []

  onInit() {
    const folder = process.env.FILE_TIMES
    if (!folder) return
    // A run whose pool does not end has no other end.
    process.once("exit", () => {
      writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(this.times))
    })
  }

  onTestModuleEnd(module: TestModule) {
    const { duration } = module.diagnostic()
    this.times.push({ file: module.relativeModuleId, seconds: duration / 1000 })
  }
}
