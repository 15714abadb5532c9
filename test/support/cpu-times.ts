import { readdirSync, readFileSync } from "node:fs"

/** The CPU time in ms of the main thread of each workerd of this run, by process id. Linux only. */
export function cpuTimes(): Record<string, number> {
  try {
    return Object.fromEntries(
      readdirSync("/proc")
        .filter((pid) => /^\d+$/.test(pid) && isOurWorkerd(pid))
        .map((pid) => [pid, Number(readProc(pid, "schedstat").split(" ")[0]) / 1e6]),
    )
  } catch {
    return {}
  }
}

/** After the name in brackets: the state, then the parent. */
function isOurWorkerd(pid: string): boolean {
  const [, name, parent] = /\((.*)\) \S (\d+)/.exec(readProc(pid, "stat")) ?? []
  return name === "workerd" && Number(parent) === process.pid
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}
