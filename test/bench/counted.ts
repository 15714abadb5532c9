import { spawnSync } from "node:child_process"

/** Round trips and rows, from the database's own figures. */
export function printCounted() {
  spawnSync("vitest", ["run", "--project", "bench", "--disable-console-intercept"], {
    stdio: "inherit",
  })
}
