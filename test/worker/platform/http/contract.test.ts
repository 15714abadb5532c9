import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import * as z from "zod"
import { sha256Hex } from "../../../../src/lib/crypto.ts"
import { ID_PREFIXES, type IdKind, newId } from "../../../../src/lib/id.ts"
import { networkOf } from "../../../../src/lib/network.ts"
import { newSecret } from "../../../../src/worker/access/keys/secret.ts"
import { createApp } from "../../../../src/worker/app.ts"
import { endpoints } from "../../../../src/worker/contract.ts"
import type { Env } from "../../../../src/worker/platform/env.ts"
import type { Endpoint } from "../../../../src/worker/platform/http/endpoint.ts"
import { type Api, createApi, type Reply, request } from "../../../support/api.ts"
import { workerEnv } from "../../../support/installation.ts"
import { fakeInternet } from "../../../support/internet.ts"
import { metered } from "../../../support/meter.ts"
import { addKey, makeTeam, type Team } from "../../../support/team.ts"
import { warmed } from "../../../support/warm.ts"
import { examples } from "./examples.ts"

const [wranglerToml = ""] = Object.values(
  import.meta.glob("../../../../wrangler.toml", {
    query: "?raw",
    import: "default",
    eager: true,
  } as { eager: true }),
) as string[]

beforeAll(() => {
  fakeInternet()
})

const guarded = endpoints.filter(({ access }) => access !== "public")
const full = guarded.filter(({ access }) => access === "full")
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const named = (list: readonly Endpoint[]) => list.map((one) => [nameOf(one), one] as const)

/** The path with an id of the right shape in each place. */
const withIds = (path: string) =>
  path.replace(/:([A-Za-z]+)/g, (_match, name: string) => unknownParam(name))
const unknownParam = (name: string) => (name === "email" ? "nobody@example.com" : newId("email"))

const call = (one: Endpoint, headers: Record<string, string>, path = withIds(one.path)) =>
  request(one.method, `/api/v1${path}`, one.json ? {} : undefined, headers)

const sameButRequestId = ({ status, headers, body }: Reply) => {
  const shown = Object.fromEntries(headers)
  delete shown["x-request-id"]
  return JSON.stringify({ status, shown, body })
}

let team: Team
/** Refused calls change nothing, so all endpoints are tried with the keys of one team. */
let wrongKeys: Record<string, string>[]
let stranger: Team
beforeAll(async () => {
  team = await makeTeam()
  stranger = await makeTeam()
  const revoked = await addKey(team.id)
  const { body } = await createApi(revoked).get("/me")
  await team.api.delete(`/api-keys/${body.key.id}`)
  const { key } = team.api
  wrongKeys = [
    {},
    { authorization: "" },
    { authorization: "Basic abc" },
    { authorization: "Bearer" },
    { authorization: `Bearer ${key} extra` },
    { authorization: "Bearer svc_live_unknown" },
    { authorization: `Bearer ${key.slice(0, -1)}` },
    { authorization: `Bearer ${revoked}` },
  ]
})

/** A malformed cursor is refused after the key, so it changes no reply. */
const withCursor = (one: Endpoint) => (one.query?.shape.cursor ? "?cursor=x" : "")

describe("every endpoint", () => {
  it.each(named(guarded))("refuses all wrong keys identically: %s", async (_name, one) => {
    const replies = [
      ...(await Promise.all(wrongKeys.map((headers) => call(one, headers)))),
      await call(one, wrongKeys[5]!, withIds(one.path) + withCursor(one)),
    ]
    expect(replies[0]?.status).toBe(401)
    expect(replies[0]?.body.error.code).toBe("unauthorized")
    expect(new Set(replies.map(sameButRequestId)).size).toBe(1)
    const accepted = await call(one, { authorization: `bEaReR ${stranger.api.key}` })
    expect(accepted.status).not.toBe(401)
  })

  it.each(named(full))("refuses a sending-only key: %s", async (_name, one) => {
    const headers = { authorization: `Bearer ${team.sendingOnly.key}` }
    for (const end of ["", withCursor(one)]) {
      const reply = await call(one, headers, withIds(one.path) + end)
      expect(reply.status).toBe(403)
      expect(reply.body).toEqual({
        error: { code: "forbidden", message: "This key is sending-only." },
      })
    }
  })

  it.each(named(guarded))(
    "replies by its schema, and knows no id of another team: %s",
    async (name, one) => {
      const example = examples[name]
      expect(
        example,
        `test/worker/platform/http/examples.ts has no example of ${name}`,
      ).toBeDefined()
      const owner = await makeTeam()
      const { path, body } = await example!(owner)
      const ask = (somePath: string, { api }: Team) =>
        request(one.method, `/api/v1${somePath}`, body, { authorization: `Bearer ${api.key}` })
      if (one.path.includes(":")) {
        const theirs = await ask(path, stranger)
        const unknown = await ask(withUnknownIds(path), stranger)
        const malformed = await ask(path.replace(/[a-z]+_[0-9A-Z]{26}/g, "nonsense"), stranger)
        expect(theirs.status).toBe(404)
        expect([unknown, malformed].map(sameButRequestId)).toEqual([
          sameButRequestId(theirs),
          sameButRequestId(theirs),
        ])
      }
      const reply = await ask(path, owner)
      expect(reply.status).toBe(one.status)
      if (one.status === 204) {
        expect(reply.body).toBe("")
      } else if (one.response) {
        const schema = one.response as z.ZodType<unknown, unknown>
        expect(z.encode(schema, z.decode(schema, reply.body))).toEqual(reply.body)
      }
    },
  )

  const kinds = new Map(
    (Object.entries(ID_PREFIXES) as [IdKind, string][]).map(([kind, prefix]) => [prefix, kind]),
  )
  const withUnknownIds = (path: string) =>
    path.replace(/([a-z]+)_[0-9A-Z]{26}/g, (_match, prefix: string) => newId(kinds.get(prefix)!))
})

describe("paths and methods", () => {
  it.each([
    ["GET", "/nope", 404],
    ["GET", "/emails/", 404],
    ["GET", "/me/", 404],
    ["PUT", "/emails", 405],
    ["OPTIONS", "/emails", 405],
    ["DELETE", "/me", 405],
    ["POST", "/emails/em_x", 405],
    ["GET", "/emails/batch", 405],
    ["PATCH", "/emails/check", 405],
    ["DELETE", "/contact-books/cb_x/contacts/import", 405],
  ])("%s %s answers %i in the envelope", async (method, path, status) => {
    const { api, sendingOnly } = await makeTeam()
    for (const { key } of [api, sendingOnly]) {
      const reply = await request(method, `/api/v1${path}`, undefined, {
        authorization: `Bearer ${key}`,
      })
      expect(reply.status).toBe(status)
      expect(reply.body.error.code).toBe(status === 404 ? "not_found" : "method_not_allowed")
      if (status === 405) expect(reply.headers.get("allow")).toBeTruthy()
    }
    const keyless = await request(method, `/api/v1${path}`)
    expect(keyless.status).toBe(401)
  })

  it("a fixed path that looks like an id allows only its own methods", async () => {
    const { api } = await makeTeam()
    const key = { authorization: `Bearer ${api.key}` }
    for (const path of ["/emails/batch", "/emails/check", "/contact-books/cb_x/contacts/import"]) {
      const reply = await request("GET", `/api/v1${path}`, undefined, key)
      expect(reply.headers.get("allow")).toBe("POST")
    }
  })

  it("outside the API answers the envelope too, without asking for a key", async () => {
    expect((await request("GET", "/nope")).body.error.code).toBe("not_found")
    const reply = await request("POST", "/health")
    expect(reply.status).toBe(405)
    expect(reply.headers.get("allow")).toBe("GET, HEAD")
  })

  it("HEAD is GET without a body", async () => {
    const { api } = await makeTeam()
    const head = await request("HEAD", "/api/v1/me", undefined, {
      authorization: `Bearer ${api.key}`,
    })
    expect(head.status).toBe(200)
    expect(head.body).toBe("")
  })
})

describe("the request id", () => {
  it("of the caller is kept when it is harmless, and made otherwise", async () => {
    const ask = async (id: string) =>
      (await request("GET", "/health", undefined, { "x-request-id": id })).headers.get(
        "x-request-id",
      )
    expect(await ask("my_trace-1")).toBe("my_trace-1")
    expect(await ask("a".repeat(65))).toMatch(/^req_[0-9A-Z]{26}$/)
    expect(await ask("no spaces")).toMatch(/^req_/)
  })

  it.each(["GET /api/v1/me", "GET /nope", "PUT /health"])("is on the error of %s", async (call) => {
    const [method = "", path = ""] = call.split(" ")
    const reply = await request(method, path)
    expect(reply.status).toBeGreaterThan(400)
    expect(reply.headers.get("x-request-id")).toMatch(/^req_/)
  })
})

describe("x-content-type-options", () => {
  it.each([
    "GET /health",
    "GET /docs",
    "GET /api/v1/openapi.json",
    "GET /api/v1/me",
    "GET /nope",
    "GET /dashboard/assets/missing.js",
    "PUT /health",
    "GET /t/o/forged",
    "GET /unsubscribe/forged",
    "POST /providers/ses/events",
    "GET /dashboard/api/session",
    "GET /dashboard/auth/get-session",
  ])("is nosniff on %s", async (call) => {
    const [method = "", path = ""] = call.split(" ")
    const { headers } = await request(method, path)
    expect(headers.get("x-content-type-options")).toBe("nosniff")
  })

  it("is nosniff on a stream", async () => {
    const { headers } = await (await makeTeam()).api.get("/stream")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
  })
})

describe("every reply", () => {
  it("over https keeps browsers on https", async () => {
    for (const path of ["/health", "/docs", "/nope", "/dashboard/auth/methods", "/resend/emails"]) {
      const ask = (origin: string) =>
        createApp().request(`${origin}${path}`, {}, env, createExecutionContext())
      const [secure, local] = [await ask("https://mail.test"), await ask("http://mail.test")]
      expect(secure.headers.get("strict-transport-security")).toBe("max-age=31536000")
      expect(local.headers.get("strict-transport-security")).toBeNull()
    }
  })

  it("may be stored only if it is public", async () => {
    const { api } = await makeTeam()
    for (const { headers } of [
      await api.get("/emails"),
      await api.get("/nope"),
      await createApi("x").get("/me"),
      await request("GET", "/dashboard/api/session"),
      await request("GET", "/resend/emails", undefined, { authorization: `Bearer ${api.key}` }),
    ]) {
      expect(headers.get("cache-control")).toBe("no-store")
    }
    expect((await request("GET", "/docs")).headers.get("cache-control")).toContain("public")
  })
})

describe("a body", () => {
  const post = async (team: Team, body: string, path = "/suppressions") =>
    request("POST", `/api/v1${path}`, body, { authorization: `Bearer ${team.api.key}` })

  it("is read as JSON whatever its content type says", async () => {
    const { api } = await makeTeam()
    const reply = await api.post(
      "/suppressions",
      { email: "a@example.com" },
      { "content-type": "text/plain" },
    )
    expect(reply.status).toBe(201)
  })

  it.each([["{"], [""], ["{'a':1}"], ["\u0000"]])(
    "that is not JSON is refused: %j",
    async (body) => {
      const reply = await post(await makeTeam(), body)
      expect(reply.status).toBe(400)
      expect(reply.body.error.code).toBe("validation_error")
      expect(reply.body.error.details).toEqual([{ path: [], message: expect.any(String) }])
    },
  )

  it.each([["null"], ["[]"], ['"text"'], ["1"]])(
    "that is no object is refused: %s",
    async (body) => {
      const reply = await post(await makeTeam(), body)
      expect(reply.status).toBe(400)
    },
  )

  it("over the cap is refused by the bytes read", async () => {
    const team = await makeTeam()
    const big = JSON.stringify({ email: "a@example.com", note: "é".repeat(600_000) })
    const reply = await post(team, big)
    expect(reply.status).toBe(413)
    expect(reply.body.error.code).toBe("payload_too_large")
    expect((await post(team, big.slice(0, -1))).status).toBe(413)
  })

  it("has its unknown members dropped", async () => {
    const { api } = await makeTeam()
    const reply = await api.post("/suppressions", { email: "a@example.com", constructor: 1 })
    expect(reply.status).toBe(201)
  })
})

describe("lists", () => {
  const lists = guarded.filter(({ query }) => query && "cursor" in query.shape)

  it.each(named(lists))("%s refuses a bad limit and a bad cursor", async (name, _one) => {
    const team = await makeTeam()
    const { path } = await examples[name]!(team)
    const bare = path.split("?")[0]
    const bad = ["limit=0", "limit=101", "limit=-1", "limit=1.5", "limit=x", "limit=", "limit=1e1"]
    const cursors = ["cursor=x", "cursor=", `cursor=${btoa("em_x")}`, "cursor=%00", "cursor=ZW1f"]
    for (const query of [...bad, ...cursors]) {
      const reply = await team.api.get(`${bare}?${query}`)
      expect([query, reply.status]).toEqual([query, 400])
      expect(reply.body.error.code).toBe("validation_error")
      expect(reply.body.error.details[0].path).toEqual([query.split("=")[0]])
    }
    expect((await team.api.get(`${bare}?limit=100`)).status).toBe(200)
  })
})

describe("the rate limits", () => {
  /** A limiter that allows whom it does not know, and counts all. */
  function limiterOf(...refused: string[]) {
    const counted: string[] = []
    const limiter: RateLimit = {
      async limit({ key }) {
        counted.push(key)
        return { success: !refused.includes(key) }
      },
    }
    return { limiter, counted }
  }
  const ask = (headers: Record<string, string>, settings: Partial<Env>) =>
    createApp().request("/api/v1/me", { headers }, workerEnv(settings), createExecutionContext())
  const holderOf = ({ key }: Api) => ({ authorization: `Bearer ${key}` })

  it("hold a key, and say when to come back", async () => {
    const { api, sendingOnly } = await makeTeam()
    const { limiter: API_RATE_LIMIT, counted } = limiterOf(sha256Hex(api.key))
    const reply = await ask(holderOf(api), { API_RATE_LIMIT })
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([429, "10"])
    expect(await reply.json()).toMatchObject({ error: { code: "rate_limited" } })
    expect((await ask(holderOf(sendingOnly), { API_RATE_LIMIT })).status).toBe(200)
    expect(counted).toEqual([sha256Hex(api.key), sha256Hex(sendingOnly.key)])
  })

  it("hold a team's calls, whichever its key, in no round trip more", async () => {
    const [team, other] = [await makeTeam(), await makeTeam()]
    const { limiter: TEAM_RATE_LIMIT, counted } = limiterOf(team.id)
    for (const api of [team.api, team.sendingOnly]) {
      // The team of a key is not known before its first call.
      expect((await ask(holderOf(api), { TEAM_RATE_LIMIT })).status).toBe(200)
      const reply = await ask(holderOf(api), { TEAM_RATE_LIMIT })
      expect([reply.status, reply.headers.get("retry-after")]).toEqual([429, "10"])
    }
    await warmed(other.api)
    const cost = await metered(async () => {
      expect((await ask(holderOf(other.api), { TEAM_RATE_LIMIT })).status).toBe(200)
    })
    expect(cost.roundTrips).toBe(1)
    expect(counted).toEqual([team.id, team.id, other.id])
  })

  it("hold calls without a valid key from a network, and no valid one", async () => {
    const { api } = await makeTeam()
    const { limiter: API_RATE_LIMIT } = limiterOf("address 2001:db8:1:2::/64")
    const from = (ip: string, token: string) =>
      ask({ "cf-connecting-ip": ip, authorization: `Bearer ${token}` }, { API_RATE_LIMIT })
    for (const token of ["svc_live_no", newSecret()]) {
      const reply = await from("2001:db8:1:2::9", token)
      expect(reply.status).toBe(429)
      expect(await reply.json()).toMatchObject({ error: { code: "rate_limited" } })
    }
    expect((await from("2001:db8:1:2:ff::1", "svc_live_no")).status).toBe(429)
    expect((await from("2001:db8:1:2::9", api.key)).status).toBe(200)
    expect((await from("2001:db8:1:3::9", "svc_live_no")).status).toBe(401)
  })

  it("allow what the contract says, in ten seconds", () => {
    const limits = [...wranglerToml.matchAll(/^simple = \{ limit = (\d+), period = 10 \}/gm)]
    expect(limits.map(([, limit]) => Number(limit)).slice(0, 2)).toEqual([1_000, 3_000])
  })

  it("asks the database nothing about what cannot be a key", async () => {
    const { api } = await makeTeam()
    const tokens = ["x", api.key.slice(0, -1), `${api.key}a`, api.key.replace("live", "test")]
    const cost = await metered(async () => {
      for (const token of tokens) expect((await createApi(token).get("/me")).status).toBe(401)
    })
    expect(cost.roundTrips).toBe(0)
  })

  it.each([
    ["203.0.113.9", "203.0.113.9"],
    ["2001:DB8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["2001:0db8:0001:2::", "2001:db8:1:2::/64"],
  ])("take %s for the network %s", (ip, expected) => expect(networkOf(ip)).toBe(expected))
})

describe("an error of our own", () => {
  it("shows nothing internal", async () => {
    const { api } = await makeTeam()
    await env.DB.prepare("alter table suppressions rename to suppressions_away").run()
    try {
      const reply = await api.get("/suppressions")
      expect(reply.status).toBe(500)
      expect(JSON.stringify(reply.body)).not.toMatch(/suppressions|SQL|D1/)
    } finally {
      await env.DB.prepare("alter table suppressions_away rename to suppressions").run()
    }
  })
})
