import { CommanderError } from "commander"
import { EdgepostError } from "../../client/index.ts"
import { clean, createPaint } from "./paint.ts"
import type { Terminal } from "./terminal.ts"

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const

/** The arguments of the command are wrong. */
export class UsageError extends Error {}

/** The command failed and has printed the reason. */
export class Failed extends Error {}

/** Prints a failure to the error output and answers the exit code. */
export function report(error: unknown, terminal: Terminal, isJson: boolean): number {
  if (error instanceof Failed) return EXIT.failed
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.ok
    // Commander has printed its own message.
    if (!isJson) return EXIT.usage
  }
  const failure = toFailure(error)
  if (isJson) terminal.errors.write(`${JSON.stringify({ error: failure })}\n`)
  else terminal.errors.write(toText(failure, terminal))
  return failure.code === "usage" || failure.code === "configuration" ? EXIT.usage : EXIT.failed
}

interface Failure {
  code: string
  message: string
  status: number | null
  requestId: string | null
  details?: unknown
}

export function toFailure(error: unknown): Failure {
  if (error instanceof EdgepostError) {
    const { code, message, status, requestId, details } = error
    return { code, message, status, requestId, ...(details !== undefined && { details }) }
  }
  const message = error instanceof Error ? error.message : String(error)
  const isUsage = error instanceof UsageError || error instanceof CommanderError
  const code = isUsage ? "usage" : "failed"
  return { code, message, status: null, requestId: null }
}

function toText({ code, message, requestId, details }: Failure, terminal: Terminal): string {
  const paint = createPaint(terminal, terminal.errors)
  const request = requestId ? ` (request ${requestId})` : ""
  const lines = [`${paint("red", code)}: ${clean(message)}${clean(request)}`]
  // The message of a refused input is its first issue.
  const others = toLines(details).filter((line) => !message.startsWith(line))
  lines.push(...others.map((line) => `  ${clean(line)}`))
  return `${lines.join("\n")}\n`
}

/** One line for each issue of a refused input. */
function toLines(details: unknown = []): string[] {
  return [details].flat().map((one) => {
    const { path, message } = (one ?? {}) as { path?: unknown; message?: unknown }
    const isIssue = Array.isArray(path) && typeof message === "string"
    return isIssue ? `${path.join(".")}: ${message}` : JSON.stringify(one)
  })
}
