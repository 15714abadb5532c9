import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { afterEach, expect, it, vi } from "vitest"
import { sweepDomains } from "../../../src/worker/domains/check.ts"
import { publishRecords } from "../../../src/worker/domains/domains.ts"
import { sweepNextProvider } from "../../../src/worker/domains/next-provider.ts"
import { type DomainRow, domains } from "../../../src/worker/domains/table.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { CLOUDFLARE_HOST, makeFakeCloudflare } from "../../support/fake-cloudflare.ts"
import { DNS_HOST, makeFakeDns } from "../../support/fake-dns.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { metered } from "../../support/meter.ts"
import { fakeOutside } from "../../support/outside.ts"
import { makeTeam } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

afterEach(() => vi.restoreAllMocks())

const MINUTE_MS = 60_000

async function makeMove() {
  const team = await makeTeam()
  const cloudflare = makeFakeCloudflare(team.domain)
  fakeOutside({ [CLOUDFLARE_HOST]: cloudflare.handler, [DNS_HOST]: makeFakeDns().handler })
  const clock = makeClock()
  const workWith = (settings: Partial<Env>) =>
    testWork({ clock, settings: { CLOUDFLARE_API_TOKEN: "cf-token", ...settings } }).work
  const read = async () => (await team.api.get(`/domains/${team.domainId}`)).body
  return { team, cloudflare, clock, workWith, read }
}

it("a domain is verified at both providers before the switch, and stays verified after it", async () => {
  const { team, cloudflare, clock, workWith, read } = await makeMove()
  const before = workWith({ PROVIDER: "sandbox", NEXT_PROVIDER: "cloudflare" })
  await sweepNextProvider(before)
  const pending = await read()
  expect(pending).toMatchObject({
    status: "verified",
    provider: "sandbox",
    next: { provider: "cloudflare", verifiedAt: null },
  })
  expect(pending.next.lastError).toContain("not enabled")
  expect(pending.next.records.length).toBeGreaterThan(1)

  for (const domain of cloudflare.sending) domain.enabled = true
  await sweepNextProvider(before)
  expect((await read()).next.verifiedAt).toBeNull()
  clock.advance(2 * MINUTE_MS + 1)
  await sweepNextProvider(before)
  expect(await read()).toMatchObject({ status: "verified", provider: "sandbox" })
  expect((await read()).next).toMatchObject({ verifiedAt: expect.any(String), lastError: null })

  const after = workWith({ PROVIDER: "cloudflare" })
  await sweepNextProvider(after)
  const switched = await read()
  expect(switched).toMatchObject({ status: "verified", provider: "cloudflare", next: null })
  expect(switched.records).toEqual(pending.next.records)
  await checkNow(team)
  await sweepDomains(after)
  expect((await read()).status).toBe("verified")
})

it("says why the next provider does not take a domain, and sends as before", async () => {
  const { team, cloudflare, clock, workWith, read } = await makeMove()
  const work = workWith({ PROVIDER: "sandbox", NEXT_PROVIDER: "cloudflare" })
  cloudflare.refuse = () =>
    Response.json({ errors: [{ message: "No such plan" }] }, { status: 403 })
  await sweepNextProvider(work)
  const { status, next } = await read()
  expect([status, next.verifiedAt]).toEqual(["verified", null])
  expect(next.lastError).toContain("No such plan")
  const mail = { from: `a@${team.domain}`, to: "b@c.test", subject: "s", text: "t" }
  expect((await team.api.post("/emails", mail)).status).toBe(201)

  cloudflare.refuse = () => null
  clock.advance(2 * MINUTE_MS + 1)
  await sweepNextProvider(work)
  expect((await read()).next.records.length).toBeGreaterThan(1)
})

it("is proven although a clock that was ahead once set the time of its check", async () => {
  const { team, cloudflare, clock, workWith, read } = await makeMove()
  const work = workWith({ PROVIDER: "sandbox", NEXT_PROVIDER: "cloudflare" })
  await sweepNextProvider(work)
  for (const domain of cloudflare.sending) domain.enabled = true
  await env.DB.prepare("update domains set next_check_at = ? where id = ?")
    .bind(clock.now() + 60 * MINUTE_MS, team.domainId)
    .run()
  await sweepNextProvider(work)
  expect((await read()).next.verifiedAt).toEqual(expect.any(String))
})

it("is added again if the next provider does not know it any more", async () => {
  const { team, cloudflare, clock, workWith } = await makeMove()
  const work = workWith({ PROVIDER: "sandbox", NEXT_PROVIDER: "cloudflare" })
  await sweepNextProvider(work)
  cloudflare.sending = []
  for (let check = 0; check < 2; check++) {
    clock.advance(2 * MINUTE_MS + 1)
    await sweepNextProvider(work)
  }
  expect(cloudflare.sending.map(({ name }) => name)).toEqual([team.domain])
})

it("stays proven when an earlier check is saved late", async () => {
  const { cloudflare, clock, workWith, read } = await makeMove()
  const settings = { PROVIDER: "sandbox", NEXT_PROVIDER: "cloudflare" } as const
  const checkAgain = async () => {
    clock.advance(2 * MINUTE_MS + 1)
    for (const domain of cloudflare.sending) domain.enabled = true
    await sweepNextProvider(workWith(settings))
  }
  const DB = interruptedDb(/update "domains" set "next" = \? where/, checkAgain)
  await sweepNextProvider(workWith({ ...settings, DB }))
  expect((await read()).next.verifiedAt).toEqual(expect.any(String))
})

it("forgets a move that is given up, and costs nothing where there is none", async () => {
  const { workWith, read } = await makeMove()
  await sweepNextProvider(workWith({ PROVIDER: "sandbox", NEXT_PROVIDER: "cloudflare" }))
  expect((await read()).next).not.toBeNull()
  const work = workWith({ PROVIDER: "sandbox" })
  await sweepNextProvider(work)
  expect((await read()).next).toBeNull()
  const cost = await metered(() => sweepNextProvider(work))
  expect(cost).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
  expect(cost.rowsRead).toBeLessThan(5)
})

/** The provider's own setting changed without a move before, as for the first real provider. */
it("a domain of the sandbox is added at the first real provider, which has to verify it", async () => {
  const { team, cloudflare, clock, workWith, read } = await makeMove()
  await checkNow(team)
  const work = workWith({ PROVIDER: "cloudflare" })
  cloudflare.refuse = () =>
    Response.json({ errors: [{ message: "No such plan" }] }, { status: 403 })
  await sweepDomains(work)
  const refused = await read()
  expect(refused).toMatchObject({ status: "verified", provider: "sandbox" })
  expect(refused.lastError).toContain("No such plan")

  cloudflare.refuse = () => null
  clock.advance(2 * MINUTE_MS + 1)
  await sweepDomains(work)
  const added = await read()
  expect(added).toMatchObject({ status: "pending", provider: "cloudflare", dnsMode: "auto" })
  expect(added.records.length).toBeGreaterThan(1)
  expect(cloudflare.dns).toHaveLength(added.records.length)
  expect(cloudflare.sending.map(({ name }) => name)).toEqual([team.domain])

  for (const domain of cloudflare.sending) domain.enabled = true
  clock.advance(2 * MINUTE_MS + 1)
  await sweepDomains(work)
  expect(await read()).toMatchObject({ status: "verified", records: added.records })
})

it("a check that began before the switch changes nothing after it", async () => {
  const { team, cloudflare, workWith, read, clock } = await makeMove()
  const before = workWith({ PROVIDER: "sandbox", NEXT_PROVIDER: "cloudflare" })
  await sweepNextProvider(before)
  for (const domain of cloudflare.sending) domain.enabled = true
  clock.advance(2 * MINUTE_MS + 1)
  await sweepNextProvider(before)
  const { next } = await read()
  await checkNow(team)
  const after = workWith({ PROVIDER: "cloudflare" })
  const DB = interruptedDb(/update "domains" set "status"/, () => sweepNextProvider(after))
  await sweepDomains(workWith({ PROVIDER: "cloudflare", DB }))
  expect(await read()).toMatchObject({ provider: "cloudflare", records: next.records })
})

it("teams take turns, and none waits for the unproven domains of others", async () => {
  const { team, clock, workWith } = await makeMove()
  const work = workWith({ PROVIDER: "sandbox", NEXT_PROVIDER: "cloudflare" })
  const insert = env.DB.prepare(
    `insert into domains (team_id, id, name, status, provider, created_at)
     with recursive n (n) as (select 1 union all select n + 1 from n where n < 200)
     select ?1, 'dom_' || printf('%026d', n), 'a' || n || '.' || ?2, 'pending', 'sandbox', 0 from n`,
  )
  await insert.bind(team.id, team.domain).run()
  const other = await makeTeam()
  const unasked = async ({ id }: { id: string }) =>
    await env.DB.prepare(
      "select count(*) as count from domains where team_id = ? and next_provider is null",
    )
      .bind(id)
      .first("count")
  await sweepNextProvider(work)
  expect(await unasked(other)).toBe(0)
  for (let minute = 0; minute < 4; minute++) {
    clock.advance(2 * MINUTE_MS + 1)
    await sweepNextProvider(work)
  }
  expect(await unasked(team)).toBe(0)
})

it("the ids of records that one of two calls wrote are kept", async () => {
  const { team, cloudflare, workWith } = await makeMove()
  const work = workWith({ PROVIDER: "cloudflare" })
  await checkNow(team)
  await sweepDomains(work)
  const row = async () =>
    (await work.db.select().from(domains).where(eq(domains.id, team.domainId)))[0] as DomainRow
  const [stale] = [{ ...(await row()), writtenRecords: [] }]
  const written = (await row()).writtenRecords
  expect(written).toHaveLength(cloudflare.dns.length)
  await publishRecords(work, stale, { isBelow: false, isContested: false, isLost: false })
  expect((await row()).writtenRecords).toEqual(written)
})

const checkNow = ({ domainId }: { domainId: string }) =>
  env.DB.prepare("update domains set check_at = 0 where id = ?").bind(domainId).run()
