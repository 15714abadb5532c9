import { execFileSync } from "node:child_process"

/** How far back a change begins where nobody says its base. */
const RECENTLY = "4 hours ago"

const git = (...args: string[]): string =>
  execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

/**
 * The files that a change touches, or null where its base is not there: in a shallow clone, say. `BASE`
 * names the commit before it; without one, the change is what was committed in the last hours.
 */
export function changedFiles(base = process.env.BASE): string[] | null {
  try {
    const from = base || git("rev-list", "-1", `--before=${RECENTLY}`, "HEAD")
    if (!from) return null
    return git("diff", "--name-only", from, "HEAD").split("\n").filter(Boolean)
  } catch {
    return null
  }
}
