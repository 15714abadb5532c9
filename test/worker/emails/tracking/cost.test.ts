import { exports } from "cloudflare:workers"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { newId } from "../../../../src/lib/id.ts"
import { readSesEvent } from "../../../../src/worker/providers/ses/events.ts"
import { EMAIL_TAG, TEAM_TAG } from "../../../../src/worker/providers/ses/ses.ts"
import { BASE_URL } from "../../../support/api.ts"
import { expectCheap } from "../../../support/cost.ts"
import { SNS, SNS_HOST, signSns } from "../../../support/fake-sns.ts"
import { fakeOutside } from "../../../support/outside.ts"

const MAX_BYTES = 1024 * 1024
const filled = (part: string, bytes = MAX_BYTES - 2_000) =>
  part.repeat(Math.floor(bytes / part.length))

beforeEach(() => {
  fakeOutside({ [SNS_HOST]: () => new Response(SNS.certificate) })
})
afterEach(() => vi.restoreAllMocks())

async function post(body: BodyInit): Promise<number> {
  const request = new Request(`${BASE_URL}/providers/ses/events`, { method: "POST", body })
  const response = await exports.default.fetch(request)
  await response.text()
  return response.status
}

describe("a notice without a valid signature costs little, with", () => {
  const names = Array.from({ length: 75_000 }, (_, index) => `"n${index}":1`).join()
  const forged = { ...signSns(SNS, {}), Signature: "x" }
  const withField = (name: string, value: string) => JSON.stringify({ ...forged, [name]: value })

  it.each<[string, BodyInit]>([
    ["lists in lists", "[".repeat(MAX_BYTES / 2) + "]".repeat(MAX_BYTES / 2)],
    ["lists that stay open", "[".repeat(MAX_BYTES)],
    ["objects in objects", `${'{"a":'.repeat(170_000)}1${"}".repeat(170_000)}`],
    ["empty lists", `[${filled("[],")}1]`],
    ["different names", `{${names}}`],
    ["different names beside its own", `${JSON.stringify(forged).slice(0, -1)},${names}}`],
    ["bytes that are no UTF-8", Buffer.alloc(MAX_BYTES, 0xff)],
    ["a long message", withField("Message", filled("x"))],
    ["a long signature", withField("Signature", filled("+/"))],
    ["a long time", withField("Timestamp", `2026-01-01T00:00:00.${filled("0")}`)],
    ["a long address of the certificate", withField("SigningCertURL", `https://${filled("a@")}`)],
    ["a path up and down", withField("SigningCertURL", `https://${SNS_HOST}${filled("/a/..")}`)],
  ])("%s", async (_what, body) => {
    expect([400, 403]).toContain(await post(body))
    await expectCheap(() => post(body))
  })
})

describe("an event of SES costs little with thousands of", () => {
  const mail = {
    timestamp: "2026-08-05T00:40:02.012Z",
    messageId: "m",
    tags: { [EMAIL_TAG]: [newId("email")], [TEAM_TAG]: ["team_1"] },
  }
  const { timestamp } = mail
  const addresses = (count: number) => Array.from({ length: count }, (_, index) => `a${index}@b.co`)
  const bounced = (count: number) => ({
    ...{ timestamp, bounceType: "Permanent" },
    bouncedRecipients: addresses(count).map((emailAddress) => ({ emailAddress })),
  })

  it.each([
    [
      "recipients",
      { eventType: "Delivery", delivery: { timestamp, recipients: addresses(70_000) } },
    ],
    ["bounces", { eventType: "Bounce", bounce: bounced(27_000) }],
    [
      "tags",
      { eventType: "Send", mail: { ...mail, tags: Object.groupBy(addresses(50_000), (a) => a) } },
    ],
  ])("%s", async (_what, event) => {
    const text = JSON.stringify({ mail, ...event })
    expect(readSesEvent(text).length).toBeLessThanOrEqual(50)
    await expectCheap(() => readSesEvent(text))
  })
})
