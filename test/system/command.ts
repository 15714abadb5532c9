import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))
export const ENTRY = `${root}src/operations/edgepost.ts`

export interface Ran {
  code: number | null
  out: string
  err: string
}

export interface Running {
  ran: Ran
  done: Promise<Ran>
  /** Resolves when the output holds the text. */
  printed(text: string): Promise<void>
  write(text: string): void
  stop(): void
}

/** A process with its children, as a person starts one. */
export function start(
  command: string,
  args: string[],
  options: { env: Record<string, string | undefined>; cwd: string; input?: string },
): Running {
  const { env, cwd, input } = options
  const child = spawn(command, args, { cwd, env, detached: true })
  const ran: Ran = { code: null, out: "", err: "" }
  const waiting = new Set<() => void>()
  for (const [name, stream] of [
    ["out", child.stdout],
    ["err", child.stderr],
  ] as const) {
    stream.on("data", (data) => {
      ran[name] += data
      for (const look of waiting) look()
    })
  }
  // The reader of a pipe may end before all is written.
  child.stdin.on("error", () => {})
  if (input !== undefined) child.stdin.end(input)
  const done = new Promise<Ran>((resolve) => {
    child.on("close", (code) => {
      ran.code = code
      resolve(ran)
      for (const look of waiting) look()
    })
  })
  return {
    ran,
    done,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if ((ran.out + ran.err).includes(text)) resolve()
          else if (ran.code !== null) reject(new Error(`Ended without "${text}": ${ran.err}`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
    write: (text) => void child.stdin.write(text),
    stop() {
      if (ran.code === null && child.pid) process.kill(-child.pid, "SIGTERM")
    },
  }
}
