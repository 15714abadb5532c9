/** Set by `public/first.js`. */
const firstCalls: Map<string, Promise<Response>> | undefined = Reflect.get(globalThis, "firstCalls")

/** The reply that `first.js` has asked for beside this script. A change makes all of them old. */
export function takeFirstCall(
  url: string,
  init: RequestInit | undefined,
): Promise<Response> | undefined {
  if ((init?.method ?? "GET") !== "GET") firstCalls?.clear()
  const reply = firstCalls?.get(url)
  firstCalls?.delete(url)
  return reply
}
