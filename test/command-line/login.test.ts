import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { ME, refuse, startApi } from "./fake-api.ts"
import { folder, KEY, runCommand } from "./run.ts"

const api = await startApi()
const file = (name: string) => join(folder, name, "config.json")
const envOf = (name: string) => ({ EDGEPOST_CONFIG: file(name) })

it("keeps the key from standard input in a file of mode 600, and prints no key", async () => {
  const env = envOf("login")
  const login = await runCommand(api, ["login", api.baseUrl], { input: `${KEY}\n`, env })
  expect(login).toMatchObject({ code: 0, err: "" })
  expect(login.out).toContain("Our team")
  expect(login.out).not.toContain(KEY)
  expect(statSync(file("login")).mode & 0o777).toBe(0o600)
  const whoami = await runCommand(api, ["whoami", "--json"], { env })
  expect(whoami.json).toEqual({ profile: "default", baseUrl: api.baseUrl, ...ME })
  expect(api.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
})

it("makes a file private that others could read", async () => {
  const env = { EDGEPOST_CONFIG: join(folder, "open.json") }
  writeFileSync(env.EDGEPOST_CONFIG, '{"current":"a","profiles":{}}', { mode: 0o644 })
  await runCommand(api, ["login", api.baseUrl], { input: KEY, env })
  expect(statSync(env.EDGEPOST_CONFIG).mode & 0o777).toBe(0o600)
})

it("keeps several profiles, and uses the one that is asked for", async () => {
  const env = envOf("profiles")
  const other = await startApi({ "GET /me": () => ({ ...ME, team: { id: "t", name: "Other" } }) })
  await runCommand(api, ["login", api.baseUrl, "--profile", "one"], { input: KEY, env })
  await runCommand(api, ["login", other.baseUrl, "--profile", "two"], { input: KEY, env })
  expect((await runCommand(api, ["whoami"], { env })).out).toContain("Other")
  expect((await runCommand(api, ["whoami", "--profile", "one"], { env })).out).toContain("Our team")
  const asked = { ...env, EDGEPOST_PROFILE: "one" }
  expect((await runCommand(api, ["whoami"], { env: asked })).out).toContain("Our team")
})

it("keeps nothing when the key is refused", async () => {
  const env = envOf("refused")
  const refusing = await startApi({
    "GET /me": (_asked, response) => refuse(response, 401, "unauthorized", "Not this key."),
  })
  const login = await runCommand(api, ["login", refusing.baseUrl], { input: KEY, env })
  expect(login).toMatchObject({ code: 1, out: "" })
  expect(login.err).toBe("unauthorized: Not this key. (request req_1)\n")
  expect(() => readFileSync(file("refused"))).toThrow("ENOENT")
})

it("forgets the current profile, a named one, or all", async () => {
  const env = envOf("logout")
  for (const name of ["one", "two", "three", "four"]) {
    await runCommand(api, ["login", api.baseUrl, "--profile", name], { input: KEY, env })
  }
  const names = () => Object.keys(JSON.parse(readFileSync(file("logout"), "utf8")).profiles)
  const ran = await runCommand(api, ["logout", "--json"], { env })
  expect([ran.json, names()]).toEqual([{ removed: ["four"] }, ["one", "two", "three"]])
  expect((await runCommand(api, ["whoami"], { env })).err).toContain('no profile "four"')
  await runCommand(api, ["logout", "--profile", "two"], { env })
  expect(names()).toEqual(["one", "three"])
  expect((await runCommand(api, ["logout", "--profile", "two"], { env })).code).toBe(2)
  expect((await runCommand(api, ["logout", "--all"], { env })).out).toContain("one, three")
  expect(names()).toEqual([])
})

it("never sends a profile's key to a base URL of the environment", async () => {
  const env = envOf("login")
  const before = api.asked.length
  const ran = await runCommand(api, ["whoami"], { env: { ...env, SVC_BASE_URL: api.baseUrl } })
  expect(ran).toMatchObject({ code: 2, out: "" })
  expect(ran.err).toContain("both")
  expect(api.asked).toHaveLength(before)
})

it.each([
  [["whoami"], "run edgepost login"],
  [["whoami", "--profile", "toString"], 'no profile "toString"'],
  [["login"], "base-url"],
  [["whoami", "--verbos"], "--verbos"],
  [["whomai"], "whoami"],
])("exits with 2 on wrong usage: %j", async (args, said) => {
  const ran = await runCommand(api, args, { env: envOf("none") })
  expect(ran).toMatchObject({ code: 2, out: "" })
  expect(ran.err).toContain(said)
  const asJson = await runCommand(api, [...args, "--json"], { env: envOf("none") })
  expect(asJson).toMatchObject({ code: 2, out: "" })
  expect(JSON.parse(asJson.err).error).toMatchObject({ code: "usage", requestId: null })
})

it("never quotes a broken file, which may hold a key", async () => {
  const env = { EDGEPOST_CONFIG: join(folder, "broken.json") }
  writeFileSync(env.EDGEPOST_CONFIG, `{"apiKey": "${KEY}`)
  const ran = await runCommand(api, ["whoami"], { env })
  expect(ran.code).toBe(2)
  expect(ran.err).not.toContain(KEY)
})

it("prints a failed call as JSON with its code and request id", async () => {
  const broken = await startApi({
    "GET /me": (_asked, response) =>
      refuse(response, 400, "validation_error", "No.", [{ path: ["a"], message: "b" }]),
  })
  const ran = await runCommand(broken, ["whoami", "--json"])
  expect(ran).toMatchObject({ code: 1, out: "" })
  expect(JSON.parse(ran.err)).toEqual({
    error: {
      code: "validation_error",
      message: "No.",
      status: 400,
      requestId: "req_1",
      details: [{ path: ["a"], message: "b" }],
    },
  })
  expect((await runCommand(broken, ["whoami"])).err).toContain("  a: b\n")
})

it("prints each fault of a refused input once", async () => {
  const details = [
    { path: ["to", 0], message: "Not an address" },
    { path: ["subject"], message: "Required" },
  ]
  const strict = await startApi({
    "GET /me": (_asked, response) =>
      refuse(response, 400, "validation_error", "to.0: Not an address", details),
  })
  expect((await runCommand(strict, ["whoami"])).err).toBe(
    "validation_error: to.0: Not an address (request req_1)\n  subject: Required\n",
  )
})

it("uses colours on a terminal, unless NO_COLOR is set", async () => {
  const env = { SVC_API_KEY: KEY, SVC_BASE_URL: "http://127.0.0.1:1", EDGEPOST_CONFIG: "/nowhere" }
  const help = (more: object, isTTY = true) =>
    runCommand(api, ["--help"], { env: { ...env, ...more }, isTTY })
  expect((await help({})).out).toContain("\x1b[")
  expect((await help({ NO_COLOR: "1" })).out).not.toContain("\x1b[")
  expect((await help({}, false)).out).not.toContain("\x1b[")
})
