import { Failure } from "./cloudflare.ts"

/** A failure is one line with the cause and the mend, and the exit code 1. */
export async function endWith(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    console.error(`\nStopped. ${error.message} ${error.mend}`)
    process.exitCode = 1
  }
}
