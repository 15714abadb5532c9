interface OpenPromise<T> {
  promise: Promise<T>
  resolve(value: T | PromiseLike<T>): void
  reject(error: unknown): void
}

/** `Promise.withResolvers`, which Node 20 lacks. */
export function createPromise<T>(): OpenPromise<T> {
  let resolve!: OpenPromise<T>["resolve"]
  let reject!: OpenPromise<T>["reject"]
  const promise = new Promise<T>((...both) => {
    ;[resolve, reject] = both
  })
  return { promise, resolve, reject }
}
