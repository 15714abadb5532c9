import { env } from "cloudflare:workers"
import { afterEach, expect, it, vi } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { verifyDomain } from "../../../src/worker/domains/check.ts"
import type { Receiving } from "../../../src/worker/domains/contract.ts"
import { deleteDomain } from "../../../src/worker/domains/domains.ts"
import { updateDomain } from "../../../src/worker/domains/receive.ts"
import { sweepRouting } from "../../../src/worker/domains/routing/check.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { createInbox, deleteInbox } from "../../../src/worker/received/inboxes/inboxes.ts"
import { sweepDeletedTeams } from "../../../src/worker/teams/deletion/sweep.ts"
import { CLOUDFLARE_HOST, makeFakeCloudflare } from "../../support/fake-cloudflare.ts"
import { DNS_HOST } from "../../support/fake-dns.ts"
import { fakeOutside } from "../../support/outside.ts"
import { addDomain, makeTeam } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

afterEach(() => vi.restoreAllMocks())

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** A team whose own domain is a zone of the fake account, which DNS shows. */
async function makeOwner(settings: Partial<Env> = {}) {
  // The sweep takes no domain of an earlier test.
  await env.DB.prepare("update domains set routing_check_at = null, check_at = null").run()
  const team = await makeTeam()
  const cf = makeFakeCloudflare(team.domain)
  const mx = (name: string | null) =>
    cf.dns.filter((record) => record.type === "MX" && record.name === name)
  fakeOutside({
    [CLOUDFLARE_HOST]: cf.handler,
    [DNS_HOST]: ({ url }) => {
      const { searchParams } = new URL(url)
      const shown = searchParams.get("type") === "MX" ? mx(searchParams.get("name")) : []
      const Answer = shown.map(({ priority, content }) => ({
        type: 15,
        data: `${priority} ${content}.`,
      }))
      return Response.json({ Status: 0, Answer })
    },
  })
  const clock = makeClock()
  const token = { CLOUDFLARE_API_TOKEN: "cf-token", WORKER_NAME: "post" }
  const real = { PROVIDER: "smtp", SMTP_HOST: "smtp.test" }
  const { work, settled } = testWork({ clock, settings: { ...real, ...token, ...settings } })
  const ctx = createKeyCtx(work, sha256Hex(team.api.key), "full")
  await ctx.caller()
  const read = async (id = team.domainId) =>
    (await team.api.get(`/domains/${id}`)).body.receiving as Receiving
  const route = (id = team.domainId) => updateDomain(ctx, id, { receiving: "routing" })
  const turnOff = (id = team.domainId) => updateDomain(ctx, id, { receiving: "off" })
  const addSubdomain = () => addDomain(team.id, `mail.${team.domain}`)
  const sweepAfter = async (ms: number) => {
    clock.advance(ms)
    await sweepRouting(work)
  }
  const out = { team, cf, clock, work, ctx, settled, mx, read, route, turnOff }
  return { ...out, addSubdomain, sweepAfter }
}

const FORWARDS = {
  name: "to the boss",
  enabled: true,
  matchers: [{ type: "all" }],
  actions: [{ type: "forward", value: ["boss@example.com"] }],
}
const TO_WORKER = { enabled: true, actions: [{ type: "worker", value: ["post"] }] }

it("enables the zone's name, leads its catch-all to the Worker, and puts both back", async () => {
  const { team, cf, mx, read, route, turnOff } = await makeOwner()
  cf.catchAll = FORWARDS
  await route()
  expect(await read()).toEqual({
    mode: "routing",
    status: "active",
    lastError: null,
    records: mx(team.domain).map(({ content, priority }) => ({
      kind: "RECEIVING_MX",
      type: "MX",
      name: team.domain,
      value: content,
      priority,
      ok: true,
    })),
  })
  expect(mx(team.domain)).toHaveLength(3)
  expect(cf.catchAll).toMatchObject(TO_WORKER)
  await turnOff()
  expect(await read()).toEqual({ mode: "off", status: "off", lastError: null, records: [] })
  expect(cf.catchAll).toEqual(FORWARDS)
  expect(mx(team.domain)).toEqual([])
})

it("leaves Email Routing enabled where it was, and a catch-all that somebody has changed since", async () => {
  const { team, cf, mx, route, turnOff } = await makeOwner()
  const own = { type: "MX", name: team.domain, content: "route1.mx.cloudflare.net", priority: 1 }
  cf.dns.push({ id: "own", ...own })
  await route()
  cf.catchAll = FORWARDS
  await turnOff()
  expect(cf.catchAll).toEqual(FORWARDS)
  expect(mx(team.domain)).toMatchObject([own])
})

it("leads each inbox of a subdomain by a rule, since Cloudflare has no catch-all there", async () => {
  const { team, cf, ctx, mx, read, route, turnOff, settled, addSubdomain } = await makeOwner()
  const foreign = { id: "other", matchers: [{ type: "literal", value: `boss@${team.domain}` }] }
  cf.rules.push(foreign)
  const id = await addSubdomain()
  const name = `mail.${team.domain}`
  await route(id)
  const addresses = () => cf.rules.map(({ matchers }) => matchers?.[0]?.value)
  expect(mx(name)).toHaveLength(3)
  expect(mx(team.domain)).toEqual([])
  expect(cf.catchAll.enabled).toBe(false)
  const make = (local: string) =>
    createInbox(ctx, { address: `${local}@${name}`, name: null, retentionDays: 90 })
  const [support, sales] = [await make("support"), await make("sales")]
  await settled()
  expect(addresses()).toEqual([`boss@${team.domain}`, support.address, sales.address])
  expect(cf.rules[1]).toMatchObject(TO_WORKER)
  await deleteInbox(ctx, sales.id)
  await settled()
  expect(addresses()).toEqual([`boss@${team.domain}`, support.address])
  expect(await read(id)).toMatchObject({ status: "active", lastError: null })
  await make("*")
  await settled()
  expect(await read(id)).toMatchObject({
    status: "failed",
    lastError: expect.stringContaining("no catch-all"),
  })
  await turnOff(id)
  expect(cf.rules).toEqual([foreign])
  expect(mx(name)).toEqual([])
})

it("says which rule of somebody else takes the mail of an inbox, and does not touch it", async () => {
  const { team, cf, ctx, read, route, settled } = await makeOwner()
  const address = `support@${team.domain}`
  const matchers = [{ type: "literal", field: "to", value: address }]
  const foreign = { ...FORWARDS, id: "other", matchers }
  cf.rules.push(foreign)
  await route()
  await createInbox(ctx, { address, name: null, retentionDays: 90 })
  await settled()
  expect(await read()).toMatchObject({
    status: "failed",
    lastError: expect.stringContaining(address),
  })
  expect(cf.rules).toEqual([foreign])
})

it.each([
  ["a name whose mail somebody else takes", {}, "reply."],
  ["an installation without a token", { CLOUDFLARE_API_TOKEN: undefined }, "CLOUDFLARE_API_TOKEN"],
  ["a token that may not read the zone", { CLOUDFLARE_API_TOKEN: "wrong" }, "Zone Settings Edit"],
])("refuses %s, and touches nothing", async (_, settings, words) => {
  const { team, cf, route, read } = await makeOwner(settings as Partial<Env>)
  const own = { type: "MX", name: team.domain, content: "mx.example.com", priority: 1 }
  cf.dns.push({ id: "own", ...own })
  const refused = await route().catch((error) => error)
  expect(refused).toMatchObject({ code: "conflict", message: expect.stringContaining(words) })
  expect(refused.details).toEqual(words === "reply." ? { mx: ["mx.example.com"] } : undefined)
  expect(await read()).toMatchObject({ mode: "off", status: "off" })
  expect(cf.dns).toMatchObject([own])
  expect(cf.catchAll.enabled).toBe(false)
})

it("refuses a name whose zone the account does not have", async () => {
  const { team, route } = await makeOwner()
  const id = await addDomain(team.id, `elsewhere-${team.domain}`)
  await expect(route(id)).rejects.toMatchObject({ code: "conflict" })
})

it("tries again after a fault of Cloudflare, and keeps what it found before", async () => {
  const { team, cf, mx, read, route, turnOff, sweepAfter } = await makeOwner()
  cf.catchAll = FORWARDS
  cf.refuse = (method) => (method === "PUT" ? new Response("{}", { status: 502 }) : null)
  await route()
  expect(await read()).toMatchObject({
    status: "pending",
    lastError: expect.stringContaining("502"),
  })
  cf.refuse = () => null
  await sweepAfter(MINUTE_MS)
  expect((await read()).status).toBe("pending")
  await sweepAfter(MINUTE_MS)
  expect((await read()).status).toBe("active")
  cf.refuse = () => new Response("no JSON", { status: 500 })
  await turnOff()
  expect(await read()).toMatchObject({ mode: "off", status: "pending" })
  cf.refuse = () => null
  await sweepAfter(2 * MINUTE_MS)
  expect(await read()).toMatchObject({ mode: "off", status: "off", lastError: null })
  expect(cf.catchAll).toEqual(FORWARDS)
  expect(mx(team.domain)).toEqual([])
})

it("fails where no repeat helps, and `verify` checks it again at once", async () => {
  const { team, cf, ctx, read, route, sweepAfter } = await makeOwner()
  await route()
  cf.dns.push({ id: "own", type: "MX", name: team.domain, content: "mx.example.com", priority: 1 })
  await sweepAfter(DAY_MS)
  expect(await read()).toMatchObject({
    status: "failed",
    lastError: expect.stringContaining("mx.example.com"),
  })
  cf.dns = cf.dns.filter(({ id }) => id !== "own")
  await verifyDomain(ctx, team.domainId)
  expect(await read()).toMatchObject({ status: "active", lastError: null })
})

it("stays active while a daily check gets no answer", async () => {
  const { cf, read, route, sweepAfter } = await makeOwner()
  await route()
  cf.refuse = () => new Response("{}", { status: 503 })
  await sweepAfter(DAY_MS)
  expect(await read()).toMatchObject({
    status: "active",
    lastError: expect.stringContaining("503"),
  })
})

it("waits until DNS shows the records", async () => {
  const { cf, read, route, sweepAfter } = await makeOwner()
  fakeOutside({ [CLOUDFLARE_HOST]: cf.handler, [DNS_HOST]: () => Response.json({ Status: 0 }) })
  await route()
  expect(await read()).toMatchObject({ status: "pending", lastError: expect.stringMatching(/DNS/) })
  await sweepAfter(2 * MINUTE_MS)
  expect((await read()).status).toBe("pending")
})

it("puts everything back when the domain or its team is deleted", async () => {
  for (const way of ["domain", "team"]) {
    const { team, cf, ctx, work, mx, route } = await makeOwner()
    await route()
    if (way === "domain") await deleteDomain(ctx, team.domainId)
    else {
      await env.DB.prepare("insert into deleted_teams (id, deleted_at) values (?, ?)")
        .bind(team.id, work.now())
        .run()
      await sweepDeletedTeams(work)
    }
    expect(cf.catchAll.enabled).toBe(false)
    expect(mx(team.domain)).toEqual([])
  }
})

it("keeps a domain that somebody deletes while Cloudflare is away", async () => {
  const { team, cf, ctx, mx, route } = await makeOwner()
  await route()
  cf.refuse = () => new Response("{}", { status: 500 })
  await expect(deleteDomain(ctx, team.domainId)).rejects.toMatchObject({ code: "unavailable" })
  cf.refuse = () => null
  await deleteDomain(ctx, team.domainId)
  expect(mx(team.domain)).toEqual([])
})

it("a deleted team loses its other records where its routing cannot be put back", async () => {
  const { team, cf, work, route } = await makeOwner()
  await route()
  cf.dns.push({ id: "ours", type: "TXT", name: team.domain, content: "proof" })
  await env.DB.prepare("update domains set written_records = ? where team_id = ?")
    .bind(JSON.stringify([{ zoneId: "zone-1", recordId: "ours" }]), team.id)
    .run()
  cf.refuse = (_method, path) =>
    path.includes("/email/routing/") ? new Response("{}", { status: 403 }) : null
  const logged = vi.spyOn(console, "error").mockImplementation(() => {})
  await env.DB.prepare("insert into deleted_teams (id, deleted_at) values (?, ?)")
    .bind(team.id, work.now())
    .run()
  await sweepDeletedTeams(work)
  expect(cf.dns.filter(({ id }) => id === "ours")).toEqual([])
  expect(logged).toHaveBeenCalled()
  logged.mockRestore()
})

it("leaves the zone enabled while a domain below it is still led here", async () => {
  const { team, cf, mx, route, turnOff, addSubdomain } = await makeOwner()
  await route()
  await route(await addSubdomain())
  await turnOff()
  expect(mx(team.domain)).toHaveLength(3)
  expect(mx(`mail.${team.domain}`)).toHaveLength(3)
  expect(cf.catchAll.enabled).toBe(false)
})

it("is active at once in the sandbox, without a call", async () => {
  const { cf, read, route, turnOff } = await makeOwner({ PROVIDER: "sandbox" })
  cf.refuse = () => new Response("{}", { status: 500 })
  await route()
  expect(await read()).toMatchObject({ mode: "routing", status: "active", lastError: null })
  await turnOff()
  expect(await read()).toMatchObject({ mode: "off", status: "off" })
})
