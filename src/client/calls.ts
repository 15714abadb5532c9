import type { Config } from "./config.ts"
import { path } from "./path.ts"
import { type Answer, type Call, type CallOptions, request } from "./request.ts"

export type Calls = ReturnType<typeof createCalls>

/** Makes calls, and remembers the HTTP reply of each promise for `withResponse`. */
export function createCalls(config: Config) {
  const answers = new WeakMap<Promise<unknown>, Promise<Answer<unknown>>>()
  return {
    config,
    call<T>(route: Route, options: CallOptions = {}, input: Input = {}): Promise<T> {
      const answer = request<T>(config, { ...route, ...input }, options)
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

type Route = Pick<Call, "method" | "path">
type Input = Omit<Call, "method" | "path">

const routeOf =
  (method: Call["method"]) =>
  (fixed: TemplateStringsArray, ...parts: string[]): Route => ({
    method,
    path: path(fixed, ...parts),
  })

export const get = routeOf("GET")
export const post = routeOf("POST")
export const patch = routeOf("PATCH")
export const remove = routeOf("DELETE")
