import { once } from "node:events"
import { Worker } from "node:worker_threads"
import type { ParsedMessage } from "./message.ts"
import { refusal } from "./replies.ts"
import { createSlots } from "./slots.ts"

const THREADS = 2
const PARSED_WITHIN_MS = 5_000
const PATIENCE_MS = 60_000
const LARGE_BYTES = 1024 * 1024
const HEAP = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 }

type Answer = { letter: ParsedMessage } | { refused: { message: string; responseCode?: number } }

/**
 * Parses messages in threads of their own, so that a hostile message stops no other connection. A
 * team has at most half of the threads. One that takes too long or too much memory ends.
 */
export function createParser() {
  const slots = createSlots(THREADS)
  const idle: Worker[] = []

  async function ask(thread: Worker, bytes: ArrayBuffer): Promise<Answer | null> {
    const done = new AbortController()
    const signal = AbortSignal.any([done.signal, AbortSignal.timeout(PARSED_WITHIN_MS)])
    const answered = once(thread, "message", { signal }).then(([answer]) => answer as Answer)
    const ended = once(thread, "exit", { signal }).then(() => null)
    thread.postMessage(bytes, [bytes])
    const answer = await Promise.race([answered, ended]).catch(() => null)
    // A thread answers many messages: its listeners must not add up.
    done.abort()
    return answer
  }

  return async (bytes: ArrayBuffer, team: string): Promise<ParsedMessage> => {
    const release = await slots.take(team, PATIENCE_MS)
    if (!release) throw refusal(451, "4.3.2 Too many messages at once, try again later")
    const isLarge = bytes.byteLength > LARGE_BYTES
    try {
      const thread = idle.pop() ?? (await start())
      const answer = await ask(thread, bytes)
      // A thread gives the memory of a large message back only when it ends.
      if (answer && !isLarge) idle.push(thread)
      else void thread.terminate()
      if (!answer) throw refusal(552, "5.3.4 The message is too complex")
      if ("letter" in answer) return answer.letter
      const { responseCode, message } = answer.refused
      throw responseCode ? refusal(responseCode, message) : new Error(message)
    } finally {
      release()
    }
  }
}

/** Loading its modules may take seconds on a busy machine, and is no fault of a message. */
async function start(): Promise<Worker> {
  const thread = new Worker(new URL("./parse-thread.ts", import.meta.url), { resourceLimits: HEAP })
  // A thread that ran out of memory says so, and exits.
  thread.on("error", () => {})
  thread.unref()
  const [isReady] = await Promise.race([once(thread, "message"), once(thread, "exit")])
  if (isReady !== "ready") throw new Error("A thread of the parser did not start")
  return thread
}
