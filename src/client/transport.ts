import type { Config } from "./config.ts"
import { type Answer, type Call, type CallOptions, request } from "./request.ts"

export type Transport = ReturnType<typeof openTransport>

/** Makes calls, and remembers the reply of each promise that it has given out. */
export function openTransport(config: Config) {
  const answers = new WeakMap<Promise<unknown>, Promise<Answer<unknown>>>()
  return {
    config,
    call<T>(call: Call, options: CallOptions = {}): Promise<T> {
      const answer = request<T>(config, call, options)
      const data = answer.then((one) => one.data)
      answers.set(data, answer)
      return data
    },
    async withResponse<T>(promise: Promise<T>): Promise<Answer<T>> {
      const answer = answers.get(promise)
      if (!answer) throw new TypeError("withResponse takes the promise that a call has returned.")
      await promise
      return (await answer) as Answer<T>
    },
  }
}

/** A path with its parts escaped. What would lead to another path becomes an id that nothing has. */
export const path = (fixed: TemplateStringsArray, ...parts: string[]): string =>
  String.raw(
    { raw: fixed },
    ...parts.map((part) => {
      const text = String(part).toWellFormed()
      return /^\.{0,2}$/.test(text) ? "-" : encodeURIComponent(text)
    }),
  )
