/** A call that waits needs several steps of its own until it has its answer. */
const TURN_MS = 25

/** Lets other calls of this process run between two parts of a long computation. */
export const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve, TURN_MS))
