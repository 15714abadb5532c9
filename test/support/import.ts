import { exports } from "cloudflare:workers"
import { afterAll, vi } from "vitest"
import { Edgepost } from "../../src/client/index.ts"
import { createGet, type Get } from "../../src/command-line/import/api.ts"
import { importFrom, type Source } from "../../src/command-line/import/report.ts"
import { BASE_URL } from "./api.ts"
import type { makeTeam } from "./team.ts"

const THEIR_URL = "https://source.test"

interface Options {
  service: string
  authorization: string
  toSource: (get: Get) => Source
  /** The other service. */
  answer: (request: Request) => Response
}

/** Brings the records of a fake service into a team. */
export function makeImporter({ answer, toSource, ...options }: Options) {
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    return request.url.startsWith(THEIR_URL) ? answer(request) : exports.default.fetch(request)
  })
  afterAll(() => fetched.mockRestore())
  return (team: Awaited<ReturnType<typeof makeTeam>>, { isDry = false } = {}) => {
    const { signal } = new AbortController()
    const get = createGet({ ...options, baseUrl: THEIR_URL, rate: 1000, signal })
    const client = new Edgepost({ apiKey: team.api.key, baseUrl: BASE_URL })
    return importFrom(toSource(get), { client, isDry }, undefined, () => {})
  }
}
