import type { Config } from "./config.ts"
import { type Answer, type Call, type CallOptions, request } from "./request.ts"

export type Transport = ReturnType<typeof openTransport>

/** Makes calls, and remembers the HTTP reply of each promise for `withResponse`. */
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

/** A path with escaped parts. A part that would change the path, such as `..`, becomes `-`: no record has this id. */
export const path = (fixed: TemplateStringsArray, ...parts: string[]): string =>
  String.raw(
    { raw: fixed },
    ...parts.map((part) => {
      const text = String(part).toWellFormed()
      return /^\.{0,2}$/.test(text) ? "-" : encodeURIComponent(text)
    }),
  )
