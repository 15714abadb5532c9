/** Lets other calls of this process run between two parts of a long computation. */
export const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve))
