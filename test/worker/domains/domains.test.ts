import { env } from "cloudflare:workers"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { newId } from "../../../src/lib/id.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { sweepDomains, verifyDomain } from "../../../src/worker/domains/check.ts"
import type { Domain } from "../../../src/worker/domains/contract.ts"
import { addDnsRecords } from "../../../src/worker/domains/dns/add-records.ts"
import { lookUpDomain } from "../../../src/worker/domains/dns/look-up.ts"
import { createDomain, deleteDomain } from "../../../src/worker/domains/domains.ts"
import { afterCheck, freshWindow } from "../../../src/worker/domains/transition.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { sweepDeletedTeams } from "../../../src/worker/teams/deletion/sweep.ts"
import { CLOUDFLARE_HOST, makeFakeCloudflare } from "../../support/fake-cloudflare.ts"
import { DNS_HOST, makeFakeDns } from "../../support/fake-dns.ts"
import { fault, makeFakeSes, SES_HOST, SES_SETTINGS } from "../../support/fake-ses.ts"
import { directory } from "../../support/installation.ts"
import { metered } from "../../support/meter.ts"
import { fakeOutside } from "../../support/outside.ts"
import { addDomain, makeTeam } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

afterEach(() => vi.restoreAllMocks())

let names = 0
const newName = () => `d${++names}-${crypto.randomUUID().slice(0, 8)}.example`

/** A team whose domains are proven to a fake SES, a fake resolver, at a time of our own. */
async function makeOwner(settings: Partial<Env> = {}) {
  // The sweep takes no domain of an earlier test.
  await env.DB.prepare("update domains set check_at = null").run()
  const team = await makeTeam()
  const name = newName()
  const ses = makeFakeSes()
  const dns = makeFakeDns()
  const cf = makeFakeCloudflare(name)
  fakeOutside({
    [SES_HOST]: ses.handler,
    [DNS_HOST]: dns.handler,
    [CLOUDFLARE_HOST]: cf.handler,
  })
  const clock = makeClock()
  const { work } = testWork({ clock, settings: { ...SES_SETTINGS, ...settings } })
  const ctx = createKeyCtx(work, sha256Hex(team.api.key), "full")
  await ctx.caller()
  const read = async (id: string) => (await team.api.get(`/domains/${id}`)).body as Domain
  const sweepFor = async (ms: number, step = 2 * MINUTE_MS) => {
    for (let passed = 0; passed < ms; passed += step) {
      await sweepDomains(work)
      clock.advance(step)
    }
  }
  return { team, name, ses, dns, cf, clock, work, ctx, read, sweepFor }
}

/** As after 72 hours without a proof. */
const fail = (id: string) =>
  env.DB.prepare("update domains set status = 'failed', check_at = null where id = ?")
    .bind(id)
    .run()

/** A webhook for the team's domains, and the events that it is to be told of. */
async function listen(teamId: string) {
  await env.DB.batch([
    env.DB.prepare("insert into event_sequences (team_id, last) values (?, 0)").bind(teamId),
    env.DB.prepare(
      `insert into webhooks (team_id, id, url, events, secret, created_at, updated_at)
       values (?, 'wh_1', 'https://hooks.test', '["domain.verified","domain.failed"]', '', 0, 0)`,
    ).bind(teamId),
  ])
  return async () => {
    const { results } = await env.DB.prepare(
      "select type, data ->> '$.domain.id' as id, data ->> '$.domain.status' as status from events where team_id = ? order by sequence",
    )
      .bind(teamId)
      .all()
    return results
  }
}

describe("a domain at SES", () => {
  it("is entered with DKIM from the answer's hosted zone, a MAIL FROM and a DMARC hint", async () => {
    const { ses, ctx, name, read } = await makeOwner()
    const { id } = await createDomain(ctx, { name })
    const domain = await read(id)
    expect(domain).toMatchObject({
      id: expect.stringMatching(/^dom_/),
      name,
      status: "pending",
      provider: "ses",
      region: "us-east-1",
      dnsMode: "manual",
      lastError: null,
      verifiedAt: null,
    })
    const dkim = (token: string) => ({
      kind: "DKIM",
      type: "CNAME",
      name: `${token}._domainkey.${name}`,
      value: `${token}.dkim.eu.amazonses.test`,
      priority: null,
      ok: false,
    })
    expect(domain.records).toEqual([
      dkim("one"),
      dkim("two"),
      dkim("three"),
      {
        kind: "MAIL_FROM_MX",
        type: "MX",
        name: `bounce.${name}`,
        value: "feedback-smtp.us-east-1.amazonses.com",
        priority: 10,
        ok: false,
      },
      {
        kind: "MAIL_FROM_SPF",
        type: "TXT",
        name: `bounce.${name}`,
        value: "v=spf1 include:amazonses.com ~all",
        priority: null,
        ok: false,
      },
      {
        kind: "DMARC",
        type: "TXT",
        name: `_dmarc.${name}`,
        value: "v=DMARC1; p=none",
        priority: null,
        ok: false,
      },
    ])
    expect(ses.identities.get(name)?.mailFrom).toBe(`bounce.${name}`)
  })

  it("shows the DMARC record that holds already, its own or its parent's", async () => {
    const { dns, ctx, name } = await makeOwner()
    dns.zone.set(`TXT _dmarc.${name}`, '"v=DMARC1; p=reject;" " rua=mailto:d@example.com"')
    const { records } = await createDomain(ctx, { name: `mail.${name}` })
    expect(records.at(-1)).toMatchObject({
      kind: "DMARC",
      name: `_dmarc.${name}`,
      value: "v=DMARC1; p=reject; rua=mailto:d@example.com",
      ok: true,
    })
  })

  it("is verified once SES says so, and each record is ok once DNS shows it", async () => {
    const { ses, dns, clock, work, ctx, name, read } = await makeOwner()
    const { id, records } = await createDomain(ctx, { name })
    for (const { type, name, value, priority } of records.slice(1)) {
      const data = type === "MX" ? `${priority} ${value.toUpperCase()}.` : `"${value}"`
      dns.zone.set(`${type} ${name}`, type === "CNAME" ? `${value}.` : data)
    }
    await sweepDomains(work)
    const pending = await read(id)
    expect(pending.status).toBe("pending")
    expect(pending.lastError).toContain("PENDING")
    expect(pending.records.map(({ ok }) => ok)).toEqual([false, true, true, true, true, true])

    Object.assign(ses.identities.get(name) ?? {}, { verified: true })
    clock.advance(2 * MINUTE_MS)
    await sweepDomains(work)
    expect(await read(id)).toMatchObject({ status: "verified", lastError: null })
  })

  it("is checked soon, however many another team has waiting", async () => {
    const { ctx, clock, work, name, read } = await makeOwner()
    const other = await makeTeam()
    const waiting = `other-${other.id.toLowerCase()}.example`
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
      insert into domains (team_id, id, name, status, provider, created_at, window_started_at, check_at)
      select ?1, 'dom_' || i, i || '.' || ?2, 'pending', 'ses', ?3, ?3, ?3 from n`,
    )
      .bind(other.id, waiting, clock.now() - HOUR_MS)
      .run()
    onTestFinished(async () => {
      await env.DB.prepare("delete from domains where team_id = ?").bind(other.id).run()
    })
    const { id } = await createDomain(ctx, { name })
    await sweepDomains(work)
    expect((await read(id)).lastError).toContain("PENDING")
    const { count } = (await env.DB.prepare(
      "select count(*) as count from domains where team_id = ? and last_error is not null",
    )
      .bind(other.id)
      .first<{ count: number }>()) ?? { count: 0 }
    expect(count).toBeGreaterThan(50)
  })

  it("is verified among fifty, although each check takes eight seconds", async () => {
    await makeOwner()
    const speed = 50
    const startedAt = Date.now()
    const clock = makeClock()
    const now = () => startedAt + (Date.now() - startedAt) * speed
    const passing = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms / speed))
    const verified = {
      VerifiedForSendingStatus: true,
      DkimAttributes: { Status: "SUCCESS", Tokens: [] },
    }
    fakeOutside({
      [SES_HOST]: () => passing(8_000).then(() => Response.json(verified)),
      [DNS_HOST]: makeFakeDns().handler,
    })
    const { work } = testWork({ clock: { ...clock, now }, settings: SES_SETTINGS })
    const { id } = await makeTeam()
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 50)
      insert into domains (team_id, id, name, status, provider, created_at, window_started_at, check_at)
      select ?1, 'dom_slow_' || i, i || '.slow.example', 'pending', 'ses', ?2, ?2, ?2 from n`,
    )
      .bind(id, now())
      .run()
    const pending = () =>
      env.DB.prepare("select id from domains where team_id = ? and status = 'pending'")
        .bind(id)
        .all()
    const sweeps: Promise<unknown>[] = []
    for (let minute = 0; minute < 6 && (await pending()).results.length > 0; minute++) {
      sweeps.push(sweepDomains(work))
      await passing(MINUTE_MS)
    }
    expect((await pending()).results).toEqual([])
    await Promise.all(sweeps)
  })

  it("is checked although a clock that was ahead once made the lease of a check", async () => {
    const { ctx, clock, work, name, read } = await makeOwner()
    const { id } = await createDomain(ctx, { name })
    await env.DB.prepare("update domains set checking_until = ? where id = ?")
      .bind(clock.now() + HOUR_MS, id)
      .run()
    await sweepDomains(work)
    expect((await read(id)).lastError).toContain("PENDING")
  })

  it("is not checked while another check of it goes on, though the claim comes late", async () => {
    const { ctx, clock, name, read } = await makeOwner()
    const { id } = await createDomain(ctx, { name })
    const LEASE_MS = 2 * MINUTE_MS
    await env.DB.prepare("update domains set checking_until = ? where id = ?")
      .bind(clock.now() + 30_000 + LEASE_MS, id)
      .run()
    await verifyDomain(ctx, id)
    expect((await read(id)).lastError).toBeNull()
  })

  it("is checked although a clock that was ahead once set the time of its check", async () => {
    const { ctx, clock, work, name, read } = await makeOwner()
    const { id } = await createDomain(ctx, { name })
    const setCheckAt = (aheadMs: number) =>
      env.DB.prepare("update domains set check_at = ? where id = ?")
        .bind(clock.now() + aheadMs, id)
        .run()
    await setCheckAt(DAY_MS)
    await sweepDomains(work)
    expect((await read(id)).lastError).toBeNull()
    await setCheckAt(30 * DAY_MS)
    await sweepDomains(work)
    expect((await read(id)).lastError).toContain("PENDING")
  })

  it("fails after 72 hours, and `verify` gives it a fresh window", async () => {
    const { ses, clock, ctx, name, read, sweepFor } = await makeOwner()
    const { id } = await createDomain(ctx, { name })
    await sweepFor(72 * HOUR_MS, HOUR_MS)
    expect((await read(id)).status).toBe("pending")
    await sweepFor(1)
    expect((await read(id)).status).toBe("failed")

    Object.assign(ses.identities.get(name) ?? {}, { verified: true })
    clock.advance(DAY_MS)
    await sweepFor(1)
    expect((await read(id)).status).toBe("failed")
    Object.assign(ses.identities.get(name) ?? {}, { verified: false, dkim: "FAILED" })
    await verifyDomain(ctx, id)
    expect(ses.identities.get(name)?.dkim).toBe("PENDING")
    await sweepFor(71 * HOUR_MS, HOUR_MS)
    expect((await read(id)).status).toBe("pending")
    Object.assign(ses.identities.get(name) ?? {}, { verified: true })
    await verifyDomain(ctx, id)
    expect((await read(id)).status).toBe("verified")
  })

  it("stays while its provider is away, and the call may be tried again", async () => {
    const { ses, ctx, name, read } = await makeOwner()
    const { id } = await createDomain(ctx, { name })
    fakeOutside({ [SES_HOST]: () => fault(500, "InternalFailure") })
    const away = { code: "unavailable", headers: { "retry-after": "5" } }
    await expect(deleteDomain(ctx, id)).rejects.toMatchObject(away)
    await expect(createDomain(ctx, { name: newName() })).rejects.toMatchObject(away)
    expect(await read(id)).toMatchObject({ name })
    fakeOutside({ [SES_HOST]: ses.handler })
    await deleteDomain(ctx, id)
    expect(ses.identities.has(name)).toBe(false)
  })

  it("is rechecked daily, and demoted with a fresh window when the proof is lost", async () => {
    const { ses, clock, ctx, work, name, read, sweepFor } = await makeOwner()
    const { id } = await createDomain(ctx, { name })
    const identity = ses.identities.get(name) ?? { verified: false }
    identity.verified = true
    await sweepDomains(work)
    identity.verified = false
    clock.advance(DAY_MS - MINUTE_MS)
    await sweepDomains(work)
    expect((await read(id)).status).toBe("verified")
    clock.advance(MINUTE_MS)
    await sweepDomains(work)
    expect(await read(id)).toMatchObject({ status: "pending", verifiedAt: null })
    await sweepFor(71 * HOUR_MS, HOUR_MS)
    expect((await read(id)).status).toBe("pending")
    identity.verified = true
    await sweepDomains(work)
    expect((await read(id)).status).toBe("verified")
  })

  it("tells the team's webhooks that it is verified, and that the proof is lost", async () => {
    const { team, ses, clock, ctx, work, name } = await makeOwner()
    const told = await listen(team.id)
    const { id } = await createDomain(ctx, { name })
    for (const verified of [true, false]) {
      Object.assign(ses.identities.get(name) ?? {}, { verified })
      await sweepDomains(work)
      clock.advance(DAY_MS)
    }
    expect(await told()).toEqual([
      { type: "domain.verified", id, status: "verified" },
      { type: "domain.failed", id, status: "pending" },
    ])
  })

  it("tells nothing when it is deleted while it is checked", async () => {
    const { team, ses, ctx, work, name } = await makeOwner()
    const told = await listen(team.id)
    const { id } = await createDomain(ctx, { name })
    Object.assign(ses.identities.get(name) ?? {}, { verified: true })
    fakeOutside({
      [SES_HOST]: async (request) => {
        await env.DB.prepare("delete from domains where id = ?").bind(id).run()
        return ses.handler(request)
      },
    })
    await sweepDomains(work)
    expect(await told()).toEqual([])
  })

  it("keeps its state while SES cannot be asked", async () => {
    const { ses, clock, ctx, work, name, read } = await makeOwner()
    const { id } = await createDomain(ctx, { name })
    Object.assign(ses.identities.get(name) ?? {}, { verified: true })
    await sweepDomains(work)
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("Network connection lost."))
    clock.advance(DAY_MS)
    await sweepDomains(work)
    const domain = await read(id)
    expect(domain.status).toBe("verified")
    expect(domain.lastError).toContain("Network connection lost")
  })

  it("is removed from SES when it is deleted, unless another team claims it", async () => {
    const first = await makeOwner()
    const { id } = await createDomain(first.ctx, { name: first.name })
    await deleteDomain(first.ctx, id)
    expect(first.ses.identities.has(first.name)).toBe(false)

    const failed = await createDomain(first.ctx, { name: first.name })
    await first.sweepFor(73 * HOUR_MS, HOUR_MS)
    const other = await makeTeam()
    const otherCtx = createKeyCtx(first.work, sha256Hex(other.api.key), "full")
    const { id: taken } = await createDomain(otherCtx, { name: first.name })
    Object.assign(first.ses.identities.get(first.name) ?? {}, { verified: true })
    await verifyDomain(otherCtx, taken)
    await expect(verifyDomain(first.ctx, failed.id)).rejects.toMatchObject({ code: "conflict" })
    await deleteDomain(first.ctx, failed.id)
    expect(first.ses.identities.has(first.name)).toBe(true)
  })

  it("is added again if a late deletion of an earlier domain has removed it from SES", async () => {
    const { ses, dns, ctx, clock, work, name, read } = await makeOwner()
    const { id: earlier } = await createDomain(ctx, { name })
    let id = ""
    fakeOutside({
      [DNS_HOST]: dns.handler,
      [SES_HOST]: async (request) => {
        if (request.method === "DELETE" && id === "") {
          id = "in the making"
          await deleteDomain(ctx, earlier)
          id = (await createDomain(ctx, { name })).id
        }
        return ses.handler(request)
      },
    })
    await deleteDomain(ctx, earlier)
    expect(ses.identities.has(name)).toBe(false)

    await sweepDomains(work)
    expect((await read(id)).lastError).toContain("PENDING")
    Object.assign(ses.identities.get(name) ?? {}, { verified: true })
    clock.advance(2 * MINUTE_MS)
    await sweepDomains(work)
    expect((await read(id)).status).toBe("verified")
  })

  it("stays at SES when it is deleted while a team of another database claims it", async () => {
    const { ctx, name, ses } = await makeOwner()
    const { id } = await createDomain(ctx, { name })
    await directory
      .prepare("insert into domain_claims values (?, ?, ?, 9, 'pending')")
      .bind(name, newId("team"), newId("domain"))
      .run()
    await deleteDomain(ctx, id)
    expect(ses.identities.has(name)).toBe(true)
  })

  it.each([
    ["not_configured", { AWS_ACCESS_KEY_ID: "" }],
    ["not_configured", { AWS_ACCESS_KEY_ID: "UNKNOWN" }],
  ])("is refused as %s without credentials that work", async (code, settings) => {
    const { ctx, team, name } = await makeOwner(settings)
    await expect(createDomain(ctx, { name })).rejects.toMatchObject({ code })
    expect((await team.api.get("/domains")).body.data).toHaveLength(1)
  })
})

const proofOf = ({ records }: Pick<Domain, "records">) =>
  records.find(({ kind }) => kind === "PROOF") as Domain["records"][0]

describe("a domain at a server of SMTP", () => {
  const settings = { PROVIDER: "smtp", SMTP_HOST: "mail.test" }

  it("is verified by its own TXT record and by nothing else", async () => {
    const { dns, ctx, clock, work, name, read } = await makeOwner(settings)
    const { id, records } = await createDomain(ctx, { name })
    const proof = proofOf({ records })
    expect(proof).toMatchObject({ type: "TXT", name: `_edgepost.${name}`, ok: false })
    for (const wrong of [undefined, '"something else"', `"${proof.value}x"`]) {
      if (wrong) dns.zone.set(`TXT ${proof.name}`, wrong)
      await verifyDomain(ctx, id)
      const { status, lastError } = await read(id)
      expect([status, lastError]).toEqual(["pending", expect.stringContaining("_edgepost")])
    }
    dns.zone.set(`TXT ${proof.name}`, `"${proof.value}"`)
    clock.advance(2 * MINUTE_MS)
    await sweepDomains(work)
    const verified = await read(id)
    expect([verified.status, proofOf(verified).ok]).toEqual(["verified", true])
  })

  it("is demoted when the record is gone, and not while DNS cannot be asked", async () => {
    const { dns, ctx, clock, work, name, read } = await makeOwner(settings)
    const { id, records } = await createDomain(ctx, { name })
    const { name: at, value } = proofOf({ records })
    dns.zone.set(`TXT ${at}`, `"${value}"`)
    await sweepDomains(work)
    fakeOutside({ [DNS_HOST]: () => Response.json({ Status: 2 }) })
    clock.advance(DAY_MS)
    await sweepDomains(work)
    expect((await read(id)).status).toBe("verified")
    fakeOutside({ [DNS_HOST]: dns.handler })
    dns.zone.clear()
    clock.advance(2 * MINUTE_MS)
    await sweepDomains(work)
    expect((await read(id)).status).toBe("pending")
  })

  it("that was verified before a proof was asked for shows the record, and is demoted", async () => {
    const { team, work, read } = await makeOwner(settings)
    await env.DB.prepare("update domains set check_at = 0 where id = ?").bind(team.domainId).run()
    await sweepDomains(work)
    const domain = await read(team.domainId)
    expect([domain.status, proofOf(domain).name]).toEqual(["pending", `_edgepost.${team.domain}`])
  })

  it("has another record for each team, and the same one after it failed", async () => {
    const { dns, ctx, work, name, sweepFor, read } = await makeOwner(settings)
    const other = await makeTeam()
    const otherCtx = createKeyCtx(work, sha256Hex(other.api.key), "full")
    const [mine, theirs] = [
      await createDomain(ctx, { name }),
      await createDomain(otherCtx, { name }),
    ]
    expect(proofOf(mine).value).not.toBe(proofOf(theirs).value)
    await sweepFor(73 * HOUR_MS, HOUR_MS)
    expect((await read(mine.id)).status).toBe("failed")
    dns.zone.set(`TXT ${proofOf(mine).name}`, `"${proofOf(mine).value}"`)
    expect((await verifyDomain(ctx, mine.id)).status).toBe("verified")
    await expect(verifyDomain(otherCtx, theirs.id)).rejects.toMatchObject({ code: "conflict" })
  })
})

describe("a domain that another team may claim as well", () => {
  it("below another team's needs the TXT record, in the sandbox too", async () => {
    const { dns, ctx, team, clock, work } = await makeOwner({ PROVIDER: "sandbox" })
    const owner = await makeTeam()
    const name = `mail.deep.${owner.domain}`
    const { id, records, status } = await createDomain(ctx, { name })
    const { name: at, value } = proofOf({ records })
    expect([status, at]).toEqual(["pending", `_edgepost.${name}`])
    clock.advance(2 * MINUTE_MS)
    await sweepDomains(work)
    expect((await verifyDomain(ctx, id)).status).toBe("pending")
    const email = { from: `a@${name}`, to: "b@example.com", subject: "Hi", text: "Hi" }
    expect((await team.api.post("/emails", email)).status).toBe(422)
    dns.zone.set(`TXT ${at}`, `"${value}"`)
    expect((await verifyDomain(ctx, id)).status).toBe("verified")
    expect((await team.api.post("/emails", email)).status).toBe(201)
    expect((await createDomain(ctx, { name: `own.${team.domain}` })).records).not.toContainEqual(
      expect.objectContaining({ kind: "PROOF" }),
    )
  })

  it("below a domain that another team has verified meanwhile needs the TXT record, too", async () => {
    const { ctx, name, read } = await makeOwner({ PROVIDER: "sandbox" })
    const { id } = await createDomain(ctx, { name: `mail.${name}` })
    await addDomain((await makeTeam()).id, name)
    expect((await verifyDomain(ctx, id)).status).toBe("pending")
    expect(proofOf(await read(id)).name).toBe(`_edgepost.mail.${name}`)
  })

  it("at SES needs a proof of each team, since SES does not know the teams", async () => {
    const { ses, dns, ctx, work, name } = await makeOwner()
    const other = await makeTeam()
    const otherCtx = createKeyCtx(work, sha256Hex(other.api.key), "full")
    const stranger = await createDomain(otherCtx, { name })
    const mine = await createDomain(ctx, { name })
    Object.assign(ses.identities.get(name) ?? {}, { verified: true })
    expect((await verifyDomain(otherCtx, stranger.id)).status).toBe("pending")
    expect((await verifyDomain(ctx, mine.id)).status).toBe("pending")
    dns.zone.set(`TXT _edgepost.${name}`, `"${proofOf(mine).value}"`)
    expect((await verifyDomain(otherCtx, stranger.id)).status).toBe("pending")
    expect((await verifyDomain(ctx, mine.id)).status).toBe("verified")
    await deleteDomain(otherCtx, stranger.id)
    expect(ses.identities.has(name)).toBe(true)
  })

  it("has its own proof written beside the one of a domain that failed", async () => {
    const settings = { PROVIDER: "smtp", CLOUDFLARE_API_TOKEN: "cf-token" }
    const { cf, ctx, name } = await makeOwner(settings)
    const first = await createDomain(ctx, { name })
    await fail(first.id)
    const second = await createDomain(ctx, { name })
    const proofs = [first, second].map((domain) => `"${proofOf(domain).value}"`)
    const written = () =>
      cf.dns.filter((record) => record.name === `_edgepost.${name}`).map(({ content }) => content)
    expect(written()).toEqual(proofs)
    expect((await addDnsRecords(ctx, second.id)).added).toBe(0)
    expect(written()).toEqual(proofs)
  })

  it("has a proof that only its owner writes", async () => {
    const settings = { PROVIDER: "smtp", CLOUDFLARE_API_TOKEN: "cf-token" }
    const { cf, ctx, work, name } = await makeOwner(settings)
    await createDomain(ctx, { name })
    expect(cf.dns.map((record) => record.name)).toEqual([`_edgepost.${name}`])
    cf.dns = []
    const other = await makeTeam()
    const otherCtx = createKeyCtx(work, sha256Hex(other.api.key), "full")
    await createDomain(otherCtx, { name })
    await addDomain((await makeTeam()).id, `verified.${name}`)
    await createDomain(otherCtx, { name: `below.verified.${name}` })
    expect(cf.dns).toEqual([])
  })
})

describe("the state after a check", () => {
  const now = 1_000_000_000_000
  const pending = { ...freshWindow(now), createdAt: now }
  const verified = { ...pending, status: "verified" as const, verifiedAt: now }
  const lost = { state: "pending" as const, reason: "Not there." }
  const unknown = { state: "unknown" as const, reason: "No answer." }

  it.each([
    [pending, { state: "verified" as const }, 1, "verified", "domain.verified", now + 1 + DAY_MS],
    [pending, lost, 1, "pending", null, now + 1 + 2 * MINUTE_MS],
    [pending, unknown, 1, "pending", null, now + 1 + 2 * MINUTE_MS],
    [pending, lost, 72 * HOUR_MS, "failed", "domain.failed", null],
    [pending, { ...lost, state: "failed" as const }, 1, "failed", "domain.failed", null],
    [verified, { state: "verified" as const }, 1, "verified", null, now + 1 + DAY_MS],
    [verified, lost, 1, "pending", "domain.failed", now + 1 + 2 * MINUTE_MS],
    [verified, unknown, 80 * HOUR_MS, "verified", null, now + 80 * HOUR_MS + 2 * MINUTE_MS],
  ])("of %j after %j", (domain, check, later, status, event, checkAt) => {
    const after = afterCheck(domain, check, now + later)
    expect(after.state).toMatchObject({ status, checkAt })
    expect(after.event).toBe(event)
  })
})

describe("automatic DNS", () => {
  const settings = { CLOUDFLARE_API_TOKEN: "cf-token" }

  it("asks for few names of a domain with many labels", async () => {
    const { ctx, ses, dns, cf } = await makeOwner(settings)
    let calls = 0
    const counted =
      (handler: (request: Request) => Response | Promise<Response>) => (request: Request) => {
        calls++
        return handler(request)
      }
    fakeOutside({
      [SES_HOST]: ses.handler,
      [DNS_HOST]: counted(dns.handler),
      [CLOUDFLARE_HOST]: counted(cf.handler),
    })
    const { status } = await createDomain(ctx, { name: `${"a.".repeat(120)}${newName()}` })
    expect(status).toBe("pending")
    expect(calls).toBeGreaterThan(0)
    expect(calls).toBeLessThan(20)
  })

  it("writes every record into the zone, and deletes them with the domain", async () => {
    const { cf, ctx, name } = await makeOwner(settings)
    const domain = await createDomain(ctx, { name: `mail.${name}` })
    expect(domain.dnsMode).toBe("auto")
    expect(cf.dns.map(({ type, name, content }) => [type, name, content])).toEqual(
      domain.records.map(({ type, name, value }) => [
        type,
        name,
        type === "TXT" ? `"${value}"` : value,
      ]),
    )
    expect(cf.dns.find(({ type }) => type === "MX")).toMatchObject({ priority: 10 })
    expect(await deleteDomain(ctx, domain.id)).toBeUndefined()
    expect(cf.dns).toEqual([])
  })

  it.each([
    ["the same", "deleted"],
    ["another", "deleted"],
    ["the same", "deleted with the team"],
  ])("leaves the records to a domain of %s team until that is %s", async (owner, end) => {
    const { cf, team, ctx, work, name } = await makeOwner(settings)
    const failed = await createDomain(ctx, { name })
    const written = [...cf.dns]
    await fail(failed.id)
    const { api } = owner === "the same" ? team : await makeTeam()
    const next = createKeyCtx(work, sha256Hex(api.key), "full")
    const { id } = await createDomain(next, { name })
    if (end === "deleted") {
      await deleteDomain(ctx, failed.id)
      expect(cf.dns).toEqual(written)
      await deleteDomain(next, id)
    } else {
      await env.DB.prepare("insert into deleted_teams values (?, ?)").bind(team.id, 1).run()
      await sweepDeletedTeams(work)
    }
    expect(cf.dns).toEqual([])
  })

  it("leaves no record of a domain that is deleted while its records are written", async () => {
    const { cf, ses, dns, team, ctx, name } = await makeOwner(settings)
    let isDeleted = false
    fakeOutside({
      [SES_HOST]: ses.handler,
      [DNS_HOST]: dns.handler,
      [CLOUDFLARE_HOST]: async (request) => {
        if (request.method === "POST" && !isDeleted) {
          isDeleted = true
          const { data } = (await team.api.get("/domains")).body
          await deleteDomain(ctx, data.find((domain: Domain) => domain.name === name).id)
        }
        return cf.handler(request)
      },
    })
    await createDomain(ctx, { name })
    expect(isDeleted).toBe(true)
    expect(cf.dns).toEqual([])
  })

  it("never overwrites an existing record, and does not delete it", async () => {
    const { cf, ctx, name } = await makeOwner(settings)
    const own = { id: "own", type: "TXT", name: `_dmarc.${name}`, content: '"v=DMARC1; p=reject"' }
    cf.dns.push(own)
    const { id } = await createDomain(ctx, { name })
    expect(cf.dns.filter((record) => record.name === own.name)).toEqual([own])
    await deleteDomain(ctx, id)
    expect(cf.dns).toEqual([own])
  })

  it("writes the records of a fresh window, too", async () => {
    const { cf, ctx, name, sweepFor } = await makeOwner(settings)
    const { id, records } = await createDomain(ctx, { name })
    await sweepFor(73 * HOUR_MS, HOUR_MS)
    cf.dns = []
    await verifyDomain(ctx, id)
    expect(cf.dns).toHaveLength(records.length)
  })

  it("counts the records that could not be deleted", async () => {
    const { cf, ctx, name } = await makeOwner(settings)
    const { id } = await createDomain(ctx, { name })
    // Somebody has deleted one by hand.
    cf.dns = cf.dns.filter((record) => record.id !== "record-3")
    cf.refuse = (method, path) =>
      method === "DELETE" && /record-[12]$/.test(path) ? new Response("{}", { status: 500 }) : null
    expect(await deleteDomain(ctx, id)).toMatchObject({ body: { leftoverDnsRecords: 2 } })
  })

  it("is manual if the account does not have the zone", async () => {
    const { cf, ctx } = await makeOwner(settings)
    expect((await createDomain(ctx, { name: newName() })).dnsMode).toBe("manual")
    expect(cf.dns).toEqual([])
  })

  it("adds the records once the zone has come to the account, and deletes them with the domain", async () => {
    const { cf, dns, ctx, name, read } = await makeOwner(settings)
    const noZone = (_method: string, path: string) =>
      path === "/zones" ? Response.json({ result: [] }) : null
    cf.refuse = noZone
    const { id, records } = await createDomain(ctx, { name })
    dns.zone.set(`NS ${name}`, "ada.ns.cloudflare.com.")
    expect(await lookUpDomain(ctx, id)).toMatchObject({ isInAccount: false })
    expect(await addDnsRecords(ctx, id)).toEqual({ isInAccount: false, added: 0 })

    cf.refuse = () => null
    expect(await lookUpDomain(ctx, id)).toMatchObject({ isInAccount: true })
    const own = { id: "own", type: "TXT", name: `_dmarc.${name}`, content: '"v=DMARC1; p=reject"' }
    cf.dns.push(own)
    const others = records.filter((record) => record.name !== own.name)
    expect(await addDnsRecords(ctx, id)).toEqual({ isInAccount: true, added: others.length })
    expect(await addDnsRecords(ctx, id)).toEqual({ isInAccount: true, added: 0 })
    expect(cf.dns).toHaveLength(others.length + 1)
    expect(await read(id)).toMatchObject({ dnsMode: "auto" })

    await deleteDomain(ctx, id)
    expect(cf.dns).toEqual([own])
    const { results } = await env.DB.prepare(
      "select action from audit_log where object_id = ? order by id",
    )
      .bind(id)
      .all()
    expect(results.map(({ action }) => action)).toEqual([
      "domains.create",
      "domains.addRecords",
      "domains.addRecords",
      "domains.delete",
    ])
  })

  it("is offered only where Cloudflare runs the name servers", async () => {
    const { dns, ctx, name } = await makeOwner(settings)
    const { id } = await createDomain(ctx, { name })
    dns.zone.set(`NS ${name}`, "ns1.of-nobody-known.example.")
    expect(await lookUpDomain(ctx, id)).toMatchObject({ isInAccount: false })
  })
})

describe("a domain at Cloudflare Email Service", () => {
  const settings = { PROVIDER: "cloudflare", CLOUDFLARE_API_TOKEN: "cf-token" }

  it("is enabled in its zone, shows its records, and is verified once sending is enabled", async () => {
    const { cf, ctx, work, clock, name, read } = await makeOwner(settings)
    const { id, records } = await createDomain(ctx, { name })
    expect(records.map(({ kind, name: at, priority }) => [kind, at, priority])).toEqual([
      ["MAIL_FROM_MX", `cf-bounce.${name}`, 10],
      ["MAIL_FROM_SPF", `cf-bounce.${name}`, null],
      ["DKIM", `cf-bounce._domainkey.${name}`, null],
      ["DMARC", `_dmarc.${name}`, null],
    ])
    await sweepDomains(work)
    expect((await read(id)).status).toBe("pending")
    for (const domain of cf.sending) domain.enabled = true
    clock.advance(2 * MINUTE_MS)
    await sweepDomains(work)
    expect((await read(id)).status).toBe("verified")
    await deleteDomain(ctx, id)
    expect(cf.sending).toEqual([])
  })

  it("is added again if Cloudflare does not know it any more", async () => {
    const { cf, ctx, work, name } = await makeOwner(settings)
    await createDomain(ctx, { name })
    cf.sending = []
    await sweepDomains(work)
    expect(cf.sending.map(({ name }) => name)).toEqual([name])
  })

  it("is demoted when its zone has left the account", async () => {
    const { cf, ctx, clock, work, name, read } = await makeOwner(settings)
    const { id } = await createDomain(ctx, { name })
    for (const domain of cf.sending) domain.enabled = true
    await sweepDomains(work)
    expect((await read(id)).status).toBe("verified")
    cf.refuse = (_method, path) => (path === "/zones" ? Response.json({ result: [] }) : null)
    clock.advance(DAY_MS)
    await sweepDomains(work)
    expect(await read(id)).toMatchObject({
      status: "pending",
      lastError: expect.stringContaining("Cloudflare's DNS"),
    })
  })

  it("must be on Cloudflare's DNS", async () => {
    const { ctx } = await makeOwner(settings)
    await expect(createDomain(ctx, { name: newName() })).rejects.toMatchObject({
      code: "validation_error",
    })
  })

  it("needs the token", async () => {
    const { ctx, name } = await makeOwner({ PROVIDER: "cloudflare" })
    await expect(createDomain(ctx, { name })).rejects.toMatchObject({ code: "not_configured" })
  })

  it("is proven to the provider of campaigns as well", async () => {
    const { ses, cf, ctx, work, name, read } = await makeOwner({
      ...settings,
      BULK_PROVIDER: "ses",
    })
    const { id } = await createDomain(ctx, { name })
    for (const domain of cf.sending) domain.enabled = true
    await sweepDomains(work)
    expect((await read(id)).status).toBe("pending")
    Object.assign(ses.identities.get(name) ?? {}, { verified: true })
    await verifyDomain(ctx, id)
    expect((await read(id)).status).toBe("verified")
  })
})

describe("a sandbox domain over the API", () => {
  it("is pending, and verified at its first check", async () => {
    const { api } = await makeTeam()
    const name = newName()
    const created = await api.post("/domains", { name: ` ${name.toUpperCase()}. ` })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ name, status: "pending", provider: "sandbox" })
    const kinds = created.body.records.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(["DKIM", "DKIM", "DKIM", "MAIL_FROM_MX", "MAIL_FROM_SPF", "DMARC"])

    const verified = await api.post(`/domains/${created.body.id}/verify`)
    expect(verified.status).toBe(200)
    expect(verified.body.status).toBe("verified")
    expect(verified.body.records.map(({ ok }: { ok: boolean }) => ok)).toEqual(
      kinds.map(() => true),
    )
    const sent = { from: `a@${name}`, to: "b@example.com", subject: "Hi", text: "Hi" }
    expect((await api.post("/emails", sent)).status).toBe(201)
  })

  it("stays pending or fails where its first label says so", async () => {
    const { api } = await makeTeam()
    const verify = async (name: string) => {
      const { body } = await api.post("/domains", { name })
      return (await api.post(`/domains/${body.id}/verify`)).body
    }
    expect(await verify(`unverified.${newName()}`)).toMatchObject({ status: "pending" })
    const failed = await verify(`failed.${newName()}`)
    expect(failed).toMatchObject({ status: "failed", lastError: expect.any(String) })
    expect((await api.post(`/domains/${failed.id}/verify`)).body.status).toBe("failed")
  })

  it("may be pending with several teams, and belongs to the first that verifies it", async () => {
    const [one, two] = [await makeTeam(), await makeTeam()]
    const told = await listen(two.id)
    const name = newName()
    const { body: first } = await one.api.post("/domains", { name })
    expect((await one.api.post("/domains", { name })).status).toBe(409)
    const { status, body: second } = await two.api.post("/domains", { name })
    expect([status, second.status]).toEqual([201, "pending"])

    expect((await one.api.post(`/domains/${first.id}/verify`)).body.status).toBe("verified")
    const lost = (await two.api.get(`/domains/${second.id}`)).body
    expect(lost).toMatchObject({ status: "failed", lastError: expect.stringContaining("team") })
    expect(await told()).toEqual([{ type: "domain.failed", id: second.id, status: "failed" }])
    expect((await two.api.post(`/domains/${second.id}/verify`)).status).toBe(409)
    for (const { api } of [one, two]) {
      expect((await api.post("/domains", { name })).status).toBe(409)
    }
    expect((await one.api.delete(`/domains/${first.id}`)).status).toBe(204)
    const revived = await two.api.post(`/domains/${second.id}/verify`)
    expect(revived.body.status).toBe("verified")
  })

  it("that failed is not revived beside another row of the team", async () => {
    const { api } = await makeTeam()
    const name = `failed.${newName()}`
    const { body } = await api.post("/domains", { name })
    expect((await api.post(`/domains/${body.id}/verify`)).body.status).toBe("failed")
    expect((await api.post("/domains", { name })).status).toBe(201)
    expect((await api.post(`/domains/${body.id}/verify`)).status).toBe(409)
  })

  it("that several teams verify at once belongs to one of them", async () => {
    const teams = await Promise.all([makeTeam(), makeTeam(), makeTeam()])
    const name = newName()
    const rows = await Promise.all(
      teams.map(async ({ api }) => ({ api, id: (await api.post("/domains", { name })).body.id })),
    )
    await Promise.all(rows.map(({ api, id }) => api.post(`/domains/${id}/verify`)))
    await sweepDomains(testWork().work)
    const states = await Promise.all(
      rows.map(async ({ api, id }) => (await api.get(`/domains/${id}`)).body.status),
    )
    expect(states.toSorted()).toEqual(["failed", "failed", "verified"])
  })

  it("that a team adds twice at once exists once", async () => {
    const { api } = await makeTeam()
    const name = newName()
    const replies = await Promise.all([1, 2, 3].map(() => api.post("/domains", { name })))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  })

  it("of another team is not found to read, verify or delete", async () => {
    const [owner, other] = [await makeTeam(), await makeTeam()]
    const path = `/domains/${owner.domainId}`
    const replies = [
      await other.api.get(path),
      await other.api.post(`${path}/verify`),
      await other.api.delete(path),
    ]
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404])
    expect((await owner.api.get(path)).status).toBe(200)
  })

  it.each(["localhost", "a b.example", "-a.example", "https://example.com", "", "1.2.3.4", 7])(
    "may not be named %j",
    async (name) => {
      const { api } = await makeTeam()
      expect((await api.post("/domains", { name })).status).toBe(400)
    },
  )

  it("is listed newest first, in one round trip and with no row written", async () => {
    const { api, domainId } = await makeTeam()
    const ids = [domainId]
    for (let i = 0; i < 2; i++)
      ids.unshift((await api.post("/domains", { name: newName() })).body.id)
    const first = await api.get("/domains?limit=2")
    const second = await api.get(`/domains?limit=2&cursor=${first.body.nextCursor}`)
    const listed = [...first.body.data, ...second.body.data].map(({ id }) => id)
    expect(listed).toEqual(ids)
    expect(second.body.nextCursor).toBeNull()
    const meter = await metered(() => api.get("/domains"))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
  })

  it("that is deleted leaves a key restricted to it without any domain", async () => {
    const { api, domain, domainId } = await makeTeam()
    const { body } = await api.post("/api-keys", { name: "One", domainId })
    await api.delete(`/domains/${domainId}`)
    const input = { from: `a@${domain}`, to: "b@example.com", subject: "Hi", text: "Hi" }
    const headers = { authorization: `Bearer ${body.secret}` }
    expect((await api.post("/emails", input, headers)).status).toBe(422)
    const { body: again } = await api.post("/domains", { name: domain })
    await api.post(`/domains/${again.id}/verify`)
    expect((await api.post("/emails", input, headers)).status).toBe(403)
    expect((await api.post("/emails", input)).status).toBe(201)
  })
})

describe("a look-up in DNS", () => {
  it("shows what DNS has in place of a record, and who hosts the zone", async () => {
    const { dns, ctx, name, clock, read } = await makeOwner()
    const { id, records } = await createDomain(ctx, { name: `mail.${name}` })
    const [first, ...others] = records
    dns.zone.set(`NS ${name}`, "Ada.NS.cloudflare.com.")
    dns.zone.set(`TXT bounce.mail.${name}`, '"v=spf1 -all"')
    dns.zone.set(`CNAME ${first?.name}`, `${first?.value}.`)
    let found = await lookUpDomain(ctx, id)
    expect(found.zone).toEqual({
      name,
      nameServers: ["ada.ns.cloudflare.com"],
      host: { name: "Cloudflare", url: "https://dash.cloudflare.com" },
    })
    expect(found.simulated).toBe(false)
    expect(found.checkedUntil).toBe(clock.now() + 72 * HOUR_MS)
    expect(found.records.map(({ ok }) => ok)).toEqual([true, ...others.map(() => false)])
    expect(found.records.find(({ kind }) => kind === "MAIL_FROM_SPF")?.found).toEqual([
      "v=spf1 -all",
    ])
    expect(found.records.find(({ kind }) => kind === "MAIL_FROM_MX")?.found).toEqual([])
    expect((await read(id)).records).toEqual(records)

    dns.zone.set(`NS ${name}`, "ns1.of-nobody-known.example.")
    found = await lookUpDomain(ctx, id)
    expect(found.zone?.host).toBeNull()
  })

  it("says that DNS did not answer", async () => {
    const { ctx, name } = await makeOwner()
    const { id } = await createDomain(ctx, { name })
    fakeOutside({ [DNS_HOST]: () => Response.json({ Status: 2 }) })
    const { zone, records } = await lookUpDomain(ctx, id)
    expect(zone).toBeNull()
    expect(records).not.toHaveLength(0)
    for (const record of records) expect(record).toMatchObject({ found: null, ok: false })
  })

  it("asks the database once, and DNS never with the sandbox", async () => {
    const team = await makeTeam()
    const asked = vi.fn(() => Response.json({ Status: 0 }))
    fakeOutside({ [DNS_HOST]: asked })
    const { work } = testWork()
    const ctx = createKeyCtx(work, sha256Hex(team.api.key), "full")
    await ctx.caller()
    const meter = await metered(async () => {
      expect(await lookUpDomain(ctx, team.domainId)).toMatchObject({
        simulated: true,
        records: [],
        zone: null,
      })
    })
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(asked).not.toHaveBeenCalled()
  })
})
