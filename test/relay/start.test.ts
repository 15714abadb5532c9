import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { expect, it } from "vitest"

const start = (env: Record<string, string | undefined>) => {
  const free = { SMTP_PORT: "0", SMTPS_PORT: "0", RELAY_HEALTH_PORT: "0" }
  const { status, stderr } = spawnSync(process.execPath, ["src/relay/main.ts"], {
    env: { ...process.env, NODE_OPTIONS: "", SVC_BASE_URL: "http://localhost:1", ...free, ...env },
    encoding: "utf8",
    timeout: 30_000,
  })
  return { status, stderr }
}

it("names a setting that is missing", () => {
  expect(start({ SVC_BASE_URL: undefined })).toEqual({
    status: 1,
    stderr: "Settings: ✖ Required\n  → at SVC_BASE_URL\n",
  })
})

it("says in one line that its certificate cannot be read", () => {
  const files = { SMTP_TLS_CERT: "/missing.pem", SMTP_TLS_KEY: "/missing.key" }
  expect(start(files)).toEqual({
    status: 1,
    stderr: "The relay cannot start: ENOENT: no such file or directory, open '/missing.pem'\n",
  })
})

it("says in one line that its port is taken", async () => {
  const server = createServer().listen(0)
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const started = start({ SMTP_PORT: String(port) })
  server.close()
  expect(started.status).toBe(1)
  expect(started.stderr).toMatch(new RegExp(`^The relay cannot start: .* EADDRINUSE.*:${port}\\n$`))
})
