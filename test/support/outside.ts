import { vi } from "vitest"

export type Handler = (request: Request) => Response | Promise<Response>

/** The world beyond the Worker: a handler for each host, and nothing else is reached. */
export function fakeOutside(handlers: Record<string, Handler>) {
  return vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    const handler = handlers[new URL(request.url).host]
    if (!handler) throw new TypeError(`Nothing answers at ${request.url}`)
    return Promise.race([handler(request), brokenOff(init?.signal)])
  })
}

const brokenOff = (signal?: AbortSignal | null) =>
  new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason))
  })
