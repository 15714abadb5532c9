import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { expect, it } from "vitest"

it("a program of `npm run` ends when npm is ended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "end-with-npm-"))
  writeFileSync(
    join(folder, "package.json"),
    '{ "type": "module", "scripts": { "dev": "node dev.ts" } }',
  )
  writeFileSync(
    join(folder, "dev.ts"),
    `import { endWithNpm } from ${JSON.stringify(resolve("src/lib/end-with-npm.ts"))}
    endWithNpm("dev")
    process.on("SIGTERM", () => { console.log("stopped"); process.exit() })
    setInterval(() => {}, 1_000)
    console.log("started")`,
  )
  const npm = spawn("npm", ["run", "--silent", "dev"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [started] = await once(npm.stdout, "data")
  expect(String(started)).toBe("started\n")
  npm.kill("SIGTERM")
  const [stopped] = await once(npm.stdout, "data")
  expect(String(stopped)).toBe("stopped\n")
})
