import { writeFileSync } from "node:fs"
import { createInspector } from "./inspector.ts"

const INTERVAL_MICROSECONDS = 200

/** Profiles the service. Answers with a function that writes the file. */
export async function startProfile(port: number) {
  const inspector = await createInspector(port)
  await inspector.send("Profiler.enable")
  await inspector.send("Profiler.setSamplingInterval", { interval: INTERVAL_MICROSECONDS })
  await inspector.send("Profiler.start")
  return async (name: string) => {
    const { profile } = await inspector.send<{ profile: unknown }>("Profiler.stop")
    inspector.close()
    const file = `${name.replace(/\W+/g, "-")}.cpuprofile`
    writeFileSync(file, JSON.stringify(profile))
    return file
  }
}
