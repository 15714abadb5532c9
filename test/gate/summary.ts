import type { Ran } from "./run.ts"

const SLOWEST = 10

/** A table of the parts with their times, and the slowest files. */
export function summarize(ran: readonly Ran[], leftOut: readonly string[]): string {
  const total = ran.reduce((sum, { seconds }) => sum + seconds, 0)
  const files = ran.flatMap((part) => part.files).sort((a, b) => b.seconds - a.seconds)
  return [
    "",
    ...ran.map(({ name, seconds, passed }) => row(seconds, name + (passed ? "" : "  FAILED"))),
    row(total, "together"),
    "",
    "The slowest files:",
    ...files.slice(0, SLOWEST).map(({ file, seconds }) => row(seconds, file)),
    ...(leftOut.length > 0
      ? ["", `No time was left for: ${leftOut.join(", ")}. See the nightly.`]
      : []),
  ].join("\n")
}

const row = (seconds: number, text: string) => `${seconds.toFixed(1).padStart(8)} s  ${text}`
