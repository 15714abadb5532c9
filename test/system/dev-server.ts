import { type ChildProcess, execFileSync, type SpawnSyncReturns, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Credentials } from "../../src/operations/local/demo.ts"
import { freePort } from "../support/free-port.ts"

/** A running server, and its database. */
export interface Connection {
  credentials: Credentials
  /** The directory of the local database. */
  state: string
  /** The API as the holder of a key. */
  call(method: string, path: string, body?: unknown, key?: string): Promise<Response>
  /** Statements on the database, beside the service: the fast way to many rows. */
  execute(sql: string): void
}

export interface DevServer extends Connection {
  /** What it has printed since it was made. */
  printed(): string
  /** As a power cut would: no process gets to say goodbye. */
  kill(): Promise<void>
  /** Comes back on the same state. Another checkout is another version. */
  start(checkout?: string): Promise<void>
  dispose(): Promise<void>
}

export function connect(credentials: Credentials, state: string): Connection {
  const connection: Connection = {
    credentials,
    state,
    call: (method, path, body, key = connection.credentials.apiKey) =>
      fetch(`${connection.credentials.baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    execute: (sql) => executeOn(state, sql),
  }
  return connection
}

/** `npm run dev` as a stranger runs it, on a state and a port of its own. */
export async function startDevServer({
  directory = mkdtempSync(join(tmpdir(), "edgepost-")),
  port = 0,
  checkout = ".",
  env = {} as Record<string, string>,
} = {}): Promise<DevServer> {
  const credentialsDirectory = join(directory, "dev")
  const ownPort = port || (await freePort())
  let child: ChildProcess | undefined
  const lines: string[] = []

  const connection = connect({} as Credentials, join(directory, ".wrangler/state"))
  const server: DevServer = Object.assign(connection, {
    printed: () => lines.join(""),
    async start(from = checkout) {
      child = spawn(
        "npm",
        ["run", "dev", "--", "--state", server.state, "--credentials", credentialsDirectory],
        {
          cwd: from,
          detached: true,
          env: { ...process.env, ...env, PORT: String(ownPort) },
          stdio: ["ignore", "pipe", "pipe"],
        },
      )
      child.stderr?.pipe(process.stderr, { end: false })
      for (const output of [child.stdout, child.stderr]) {
        output?.on("data", (data) => void lines.push(String(data)))
      }
      await untilPrinted(child, "Edgepost is running")
      const written = readFileSync(join(credentialsDirectory, "credentials.json"), "utf8")
      server.credentials = JSON.parse(written)
    },
    async kill() {
      if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, "exit")
      process.kill(-child.pid, "SIGKILL")
      await exited
    },
    async dispose() {
      await server.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  })
  await server.start()
  return server
}

/** Statements on a local database, beside the server that uses it. */
export function executeOn(state: string, sql: string): void {
  const file = `${state}.${randomUUID()}.sql`
  writeFileSync(file, sql)
  wrangler(state, ["--file", file])
  rmSync(file)
}

/** The rows that a statement selects from a local database. */
export function selectFrom(state: string, sql: string): Record<string, unknown>[] {
  const [answer] = JSON.parse(wrangler(state, ["--json", "--command", sql]))
  return answer.results
}

const TRIES = 10
const BETWEEN_TRIES_MS = 200

/** The server may be writing just then. */
function wrangler(state: string, args: string[], tries = TRIES): string {
  const all = ["wrangler", "d1", "execute", "DB", "--local", "--persist-to", state, ...args]
  try {
    return execFileSync("npx", all, { encoding: "utf8" })
  } catch (error) {
    const { stdout, stderr } = error as SpawnSyncReturns<string>
    if (tries === 1 || !/SQLITE_BUSY|database is locked/.test(stdout + stderr)) throw error
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_TRIES_MS)
    return wrangler(state, args, tries - 1)
  }
}

function untilPrinted(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = ""
    child.stdout?.on("data", (data) => {
      printed += data
      if (printed.includes(text)) resolve()
    })
    child.once("exit", (code) => reject(new Error(`npm run dev ended with ${code}: ${printed}`)))
  })
}
