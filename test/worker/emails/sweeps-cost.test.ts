import { env } from "cloudflare:workers"
import { beforeAll, expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { runMinute } from "../../../src/worker/cron.ts"
import { purgeExpired } from "../../../src/worker/emails/retention/retention.ts"
import { eraseAddress, sweepErasures } from "../../../src/worker/erasure/erase.ts"
import { fillEmails } from "../../bench/fill/emails.ts"
import { fillDeliveries } from "../../bench/fill/webhooks.ts"
import { type Meter, metered } from "../../support/meter.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

/** Emails of the last 60 days, with four tags each. */
const EMAILS = 20_000
let team: Team
let minuteBefore: Meter
const filled = () => ({ teamId: team.id, domainId: team.domainId })

beforeAll(async () => {
  team = await makeTeam()
  await minute()
  minuteBefore = await minute()
  await fillEmails({ db: env.DB }, filled(), { from: 0, to: EMAILS })
  const webhook = { url: "https://1.1.1.1/hook", events: ["email.delivered"] }
  const { body } = await team.api.post("/webhooks", webhook)
  await fillDeliveries(env.DB, { teamId: team.id, webhookId: body.id, type: "delivered" })
})

const minute = () => metered(() => runMinute(testWork().work))

it("a minute with nothing to do reads no settled emails, events or deliveries", async () => {
  // The words of the emails take two minutes.
  for (let minutes = 0; minutes < 3; minutes++) await minute()
  const { rowsRead } = await minute()
  expect(rowsRead - minuteBefore.rowsRead).toBeLessThan(200)
})

it("a purge of a hundred records reads no other emails' rows", async () => {
  const { work } = testWork()
  await purgeExpired(work)
  const range = { from: EMAILS, to: EMAILS + 100, oldestDays: 95, days: 3 }
  await env.DB.prepare("delete from purge_positions where team_id = ?").bind(team.id).run()
  await fillEmails({ db: env.DB }, filled(), range)
  const meter = await metered(() => purgeExpired(work))
  expect(meter.rowsWritten).toBeGreaterThan(800)
  expect(meter.rowsRead).toBeLessThan(EMAILS / 2)
})

it("an erasure of an address reads no other addresses' deliveries", async () => {
  const { work } = testWork()
  const erase = (address: string) =>
    metered(async () => {
      await eraseAddress(createKeyCtx(work, sha256Hex(team.api.key), "full"), address)
      await sweepErasures(work)
    })
  const withoutDeliveries = await erase("reader-7@example.com")
  const withDeliveries = await erase(`reader-${EMAILS / 100 - 1}@example.com`)
  expect(withDeliveries.rowsWritten - withoutDeliveries.rowsWritten).toBeGreaterThan(200)
  expect(withDeliveries.rowsRead - withoutDeliveries.rowsRead).toBeLessThan(EMAILS / 4)
})
