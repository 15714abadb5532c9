/** Fails if no answer comes in time. The next try may succeed, which `retryable` says. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error(`No answer within ${ms} ms`), { retryable: true })
    timer = setTimeout(() => reject(error), ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
