import { parentPort } from "node:worker_threads"
import { readMessage } from "./message.ts"
import { checkLimits } from "./raw-limits.ts"

/** Says that it is ready. Then one message at a time: bytes in, an `Answer` out. */
parentPort?.on("message", async (bytes: ArrayBuffer) => {
  try {
    checkLimits(new Uint8Array(bytes))
    parentPort?.postMessage({ letter: await readMessage(bytes) })
  } catch (error) {
    const { message, responseCode } = error as Error & { responseCode?: number }
    parentPort?.postMessage({ refused: { message, responseCode } })
  }
})
parentPort?.postMessage("ready")
