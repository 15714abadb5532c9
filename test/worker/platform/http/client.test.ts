import { exports } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import * as z from "zod"
import { Edgepost } from "../../../../src/client/index.ts"
import { endpoints } from "../../../../src/worker/contract.ts"
import type { Endpoint } from "../../../../src/worker/platform/http/endpoint.ts"
import { BASE_URL } from "../../../support/api.ts"
import { fakeInternet } from "../../../support/internet.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { examples, message } from "./examples.ts"

beforeAll(() => {
  fakeInternet()
})

const calls = endpoints.filter(({ access, name }) => access !== "public" && name !== "stream")
const named = calls.map((one) => [one.name, one] as const)

/** Methods that use others, and second names of methods. */
const CONVENIENCES =
  /^withResponse$|\biterate|^(sandbox|receivedEmails)\.wait$|^contacts\.(getByEmail|upsert)$|^(apiKeys|domains|webhooks)\.remove$/

/** The client's methods, named as endpoints are: `emails.send`. */
function methodsOf(client: Edgepost): Map<string, (...args: unknown[]) => Promise<unknown>> {
  const own = Object.getOwnPropertyNames(Edgepost.prototype)
    .filter((name) => name !== "constructor")
    .map((name) => [name, Reflect.get(client, name).bind(client)] as const)
  const resources = Object.entries(client).flatMap(([noun, resource]) =>
    Object.entries(resource).map(([verb, method]) => [`${noun}.${verb}`, method] as const),
  )
  return new Map([...own, ...resources] as never)
}

/** The call's arguments: what stands in the path, then its query or its body. */
function argumentsOf(
  { path, query, json, fileType }: Endpoint,
  example: { path: string; body?: unknown },
) {
  const { pathname, searchParams } = new URL(example.path, BASE_URL)
  const pattern = new RegExp(`^${path.replace(/:[A-Za-z]+/g, "([^/]+)")}$`)
  const params = (pattern.exec(pathname) ?? []).slice(1).map(decodeURIComponent)
  const asked = query && Object.fromEntries(searchParams)
  const file = fileType && Buffer.from(String(example.body))
  const rest = json ? [example.body] : [file, asked]
  return [...params, ...rest.filter((value) => value !== undefined)]
}

function createClient(team: Team, fetch: (request: Request) => Promise<Response>) {
  return new Edgepost({
    apiKey: team.api.key,
    baseUrl: BASE_URL,
    fetch: (input, init) => fetch(new Request(input as RequestInfo, init as RequestInit)),
  })
}

const bodyOf = async ({ status, responseType }: Endpoint, answer: Response | undefined) =>
  status === 204
    ? undefined
    : responseType
      ? new Uint8Array((await answer?.arrayBuffer()) ?? [])
      : answer?.json()

const app = (request: Request) => exports.default.fetch(request)

it("the client has a method for each endpoint, and an endpoint for each method", async () => {
  const methods = [...methodsOf(createClient(await makeTeam(), app)).keys()]
  const expected = [...calls.map(({ name }) => name), "stream"]
  expect(new Set(methods.filter((name) => !CONVENIENCES.test(name)))).toEqual(new Set(expected))
})

it("each list has a method that walks through its pages", async () => {
  const methods = methodsOf(createClient(await makeTeam(), app))
  const lists = calls.filter(
    ({ response }) => response instanceof z.ZodObject && "nextCursor" in response.shape,
  )
  expect(lists.length).toBeGreaterThan(20)
  const walks = lists.map(({ name }) =>
    name.replace(/(\w)(\w*)$/, (verb, first, others) =>
      verb === "list" ? "iterate" : `iterate${first.toUpperCase()}${others}`,
    ),
  )
  expect(walks.filter((name) => !methods.has(name))).toEqual([])
})

async function repeatsWhereItMay(one: Endpoint, team: Team, given: unknown[]) {
  let tries = 0
  const client = createClient(team, async () => {
    tries++
    return new Response(null, { status: 503, headers: { "retry-after": "0" } })
  })
  const attempts = one.method !== "POST" || one.retryable ? 3 : 1
  const call = methodsOf(client).get(one.name)!(...given)
  await expect(call).rejects.toMatchObject({ status: 503, retryable: true, attempts })
  expect(tries).toBe(attempts)
}

describe("the method", () => {
  it.each(named)("%s calls its endpoint and resolves to its body", async (name, one) => {
    const team = await makeTeam()
    const example = await examples[`${one.method} ${one.path}`]!(team)
    const given = argumentsOf(one, example)
    await repeatsWhereItMay(one, team, given)
    const asked: { method: string; path: string; body: unknown }[] = []
    let answer: Response | undefined
    const client = createClient(team, async (request) => {
      const text = await request.clone().text()
      asked.push({
        method: request.method,
        path: request.url.replace(`${BASE_URL}/api/v1`, ""),
        body: text === "" ? undefined : one.fileType ? text : JSON.parse(text),
      })
      const response = await app(request)
      answer = response.clone()
      return response
    })
    const data = await methodsOf(client).get(name)!(...given)
    expect(asked).toEqual([{ method: one.method, ...example, body: example.body }])
    expect(answer?.status).toBe(one.status)
    expect(data).toEqual(await bodyOf(one, answer))
  })
})

it("the stream tells of an email, and ends when it is told to", async () => {
  const team = await makeTeam()
  const client = createClient(team, app)
  const stream = client.stream()
  await stream.connected
  const { id } = await client.emails.send(message(team))
  const { value } = await stream.next()
  expect(value).toEqual({ type: "email", id, sequence: expect.any(Number) })
  const pending = [stream.next(), stream.next(), stream.next(), stream.next()]
  await stream.return()
  expect(await pending.at(-1)).toEqual({ done: true, value: undefined })
})

it("iterating walks through all pages", async () => {
  const team = await makeTeam()
  const client = createClient(team, app)
  for (const name of ["a", "b", "c", "d", "e"]) {
    await client.suppressions.add({ email: `${name}@example.com` })
  }
  const found: string[] = []
  for await (const { email } of client.suppressions.iterate({ limit: 2 })) found.push(email)
  expect(found.map((email) => email[0])).toEqual(["e", "d", "c", "b", "a"])
})

it("the reply of a call comes with its headers", async () => {
  const client = createClient(await makeTeam(), app)
  const { data, response } = await client.withResponse(client.me())
  expect(data.key.permission).toBe("full")
  expect(response.headers.get("x-request-id")).toMatch(/^req_/)
  const refused = client.withResponse(client.emails.get("em_unknown"))
  await expect(refused).rejects.toMatchObject({
    name: "EdgepostError",
    code: "not_found",
    status: 404,
    retryable: false,
    attempts: 1,
    requestId: expect.stringMatching(/^req_/),
  })
})

it("one idempotency key for a batch sends once", async () => {
  const team = await makeTeam()
  const client = createClient(team, app)
  const batch = () => client.emails.batch([message(team), message(team)], { idempotencyKey: "b-1" })
  expect(await batch()).toEqual(await batch())
  expect((await client.emails.list()).data).toHaveLength(2)
})
