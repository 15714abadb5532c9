import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Reporter, TestModule } from "vitest/node"
import type { FileTime } from "../gate/run.ts"

/** Writes how long each test file took into the folder `FILE_TIMES`, for the summary of the gate. */
export default class FileTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    const folder = process.env.FILE_TIMES
    if (!folder) return
    const times = modules.map((module): FileTime => {
      const { duration } = module.diagnostic()
      return { file: module.relativeModuleId, seconds: duration / 1000 }
    })
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(times))
  }
}
