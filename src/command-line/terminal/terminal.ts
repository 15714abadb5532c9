import type { Readable } from "node:stream"

interface Sink {
  write(text: string | Uint8Array): unknown
  isTTY?: boolean
}

/** The inputs and outputs of a command. Tests pass their own. */
export interface Terminal {
  input: Readable & { isTTY?: boolean }
  output: Sink
  errors: Sink
  env: Record<string, string | undefined>
  /** Ends commands that run until they are stopped. */
  signal: AbortSignal
}

export async function readInput(input: Terminal["input"]): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of input) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}
