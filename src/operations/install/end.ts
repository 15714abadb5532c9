import { Failure } from "./failure.ts"

/** Prints a failure in one line, with its cause and how to fix it, and exits with code 1. */
export async function endWith(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    console.error(`\nStopped. ${error.message} ${error.remedy}`)
    process.exitCode = 1
  }
}
