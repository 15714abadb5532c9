import { afterEach, describe, expect, it, vi } from "vitest"
import { Edgepost, EdgepostError, type EdgepostOptions } from "../../src/client/index.ts"
import { json, startServer } from "./server.ts"

afterEach(() => {
  vi.unstubAllEnvs()
})

const KEY = "svc_live_x"
const URL = "https://mail.test"

describe("a client", () => {
  it.each<[string, EdgepostOptions, RegExp]>([
    ["an API key", { baseUrl: URL }, /SVC_API_KEY/],
    ["an empty API key", { apiKey: "", baseUrl: URL }, /SVC_API_KEY/],
    ["an API key in ASCII", { apiKey: "svc_live_…", baseUrl: URL }, /^apiKey has characters/],
    ["an API key in one line", { apiKey: "svc\nlive", baseUrl: URL }, /^apiKey has characters/],
    ["a base URL", { apiKey: KEY }, /SVC_BASE_URL/],
    ["a base URL that is one", { apiKey: KEY, baseUrl: "mail.test" }, /http\(s\) URL/],
    ["a base URL without a password", { apiKey: KEY, baseUrl: "https://me:pw@m.test" }, /URL, and/],
    ["a base URL without a query", { apiKey: KEY, baseUrl: `${URL}/?a=b` }, /no query and no hash/],
    ["a base URL without a hash", { apiKey: KEY, baseUrl: `${URL}/#` }, /no query and no hash/],
    ["a base URL that is not blank", { apiKey: KEY, baseUrl: " " }, /SVC_BASE_URL/],
    ["a base URL over http", { apiKey: KEY, baseUrl: "ftp://mail.test" }, /http\(s\) URL/],
  ])("is not made without %s", (_what, options, message) => {
    vi.stubEnv("SVC_API_KEY", undefined)
    vi.stubEnv("SVC_BASE_URL", undefined)
    const make = () => new Edgepost(options)
    expect(make).toThrow(message)
    expect(make).toThrow(expect.objectContaining({ code: "configuration", status: null }))
    expect(make).toThrow(EdgepostError)
  })

  it("reads the environment when it is created, unless options are given", async () => {
    const { asked, baseUrl } = await startServer(json(200, {}))
    vi.stubEnv("SVC_API_KEY", "svc_live_environment")
    vi.stubEnv("SVC_BASE_URL", `${baseUrl}/`)
    await new Edgepost().me()
    await new Edgepost({ apiKey: KEY }).me()
    expect(asked.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/api/v1/me", "Bearer svc_live_environment"],
      ["/api/v1/me", `Bearer ${KEY}`],
    ])
  })

  it.each(["", "/", "/api/v1", "/api/v1/", " ", "/api/v1/\r\n"])(
    "takes a base URL that ends in %j",
    async (end) => {
      const { asked, baseUrl } = await startServer(json(200, {}))
      await new Edgepost({ apiKey: KEY, baseUrl: baseUrl + end }).me()
      expect(asked.map(({ path }) => path)).toEqual(["/api/v1/me"])
    },
  )

  it("can be created without an environment", () => {
    vi.stubGlobal("process", undefined)
    try {
      expect(new Edgepost({ apiKey: KEY, baseUrl: URL })).toBeInstanceOf(Edgepost)
      expect(() => new Edgepost()).toThrow(EdgepostError)
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

describe("a call", () => {
  it("has the user agent and the types of its bodies", async () => {
    const { asked, open } = await startServer(json(201, {}))
    await open().suppressions.add({ email: "a@example.com" })
    expect(asked[0]?.headers).toMatchObject({
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^edgepost\/\d/),
    })
  })

  it("leaves absent members out of the query", async () => {
    const { asked, open } = await startServer(json(200, { data: [], nextCursor: null }))
    await open().emails.list({
      tag: "a:b&c",
      limit: 5,
      cursor: null as never,
      to: undefined as never,
    })
    expect(asked[0]?.path).toBe("/api/v1/emails?tag=a%3Ab%26c&limit=5")
  })

  it.each([
    ["a+b/c@example.com", "a%2Bb%2Fc%40example.com"],
    ["..", "-"],
    ["", "-"],
    ["?x#y", "%3Fx%23y"],
    ["\ud800", "%EF%BF%BD"],
  ])("keeps an id within its place in the path: %j", async (id, part) => {
    const { asked, open } = await startServer(json(204, null))
    await open().suppressions.remove(id)
    expect(asked[0]?.path).toBe(`/api/v1/suppressions/${part}`)
  })

  it("rejects, and is not made, with a body that JSON cannot say", async () => {
    const { asked, open } = await startServer(json(200, {}))
    const call = open().emails.send({ from: "a", to: "b", text: "c", subject: 1n as never })
    await expect(call).rejects.toBeInstanceOf(TypeError)
    expect(asked).toEqual([])
  })

  it("has a timeout of 10 seconds more than the sandbox waits", async () => {
    const timeouts = vi.spyOn(globalThis, "setTimeout")
    const { asked, open } = await startServer(json(200, { data: [], nextCursor: null }))
    await open().sandbox.wait({ to: "a@example.com" })
    await open().sandbox.wait({ wait: 3 })
    expect(asked.map(({ path }) => path)).toEqual([
      "/api/v1/sandbox/messages?to=a%40example.com&wait=30",
      "/api/v1/sandbox/messages?wait=3",
    ])
    const waits = timeouts.mock.calls.map(([, ms]) => ms)
    expect(waits).toEqual(expect.arrayContaining([40_000, 13_000]))
    timeouts.mockRestore()
  })

  it("withResponse takes only promises of the same client", async () => {
    const { open } = await startServer(json(200, {}))
    await expect(open().withResponse(Promise.resolve(1))).rejects.toBeInstanceOf(TypeError)
  })
})
