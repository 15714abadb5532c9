import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { seal, unseal } from "../../src/lib/seal.ts"
import { newWebhookSecret, signedHeaders } from "../../src/lib/webhook-signature.ts"
import { isGenuine } from "../worker/webhooks/is-genuine.ts"

const NOW = 1_800_000_000_000
const TIME = NOW / 1000
const BODY = '{"id":"evt_1","text":"grüße"}'
const SECRET = newWebhookSecret()

const hexOf = (secret: string, time: number | string, body: string) =>
  createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")

const DIGEST = hexOf(SECRET, TIME, BODY)
const OTHER = hexOf("whsec_other", TIME, BODY)

const verify = (
  signature: string | null,
  {
    body = BODY,
    secret = SECRET,
    now = NOW,
  }: { body?: string; secret?: string; now?: number } = {},
) =>
  isGenuine({ headers: signature === null ? {} : { "svc-signature": signature }, body }, secret, {
    now,
  })

describe("a delivery's headers", () => {
  const headers = signedHeaders([SECRET], { id: "evt_1", sequence: 7 }, BODY, NOW + 999)

  it("carry the signature of the specification, keyed with the whole secret", () => {
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Svc-Webhooks/1",
      "svc-event-id": "evt_1",
      "svc-event-sequence": "7",
      "svc-signature": `t=${TIME},v1=${DIGEST}`,
    })
  })

  it("are accepted by the library of Standard Webhooks", () => {
    const fresh = signedHeaders([SECRET], { id: "evt_1", sequence: 7 }, BODY, Date.now())
    expect(new Webhook(SECRET).verify(BODY, fresh)).toEqual(JSON.parse(BODY))
    expect(() => new Webhook(newWebhookSecret()).verify(BODY, fresh)).toThrow()
  })

  it("carry a signature of each secret during an overlap", async () => {
    const previous = newWebhookSecret()
    const event = { id: "evt_1", sequence: 7 }
    const both = signedHeaders([SECRET, previous], event, BODY, Date.now())
    const signature = both["svc-signature"] as string
    expect(signature).toMatch(/^t=[0-9]+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    expect(both["webhook-signature"]).toMatch(/^v1,[^ ]+ v1,[^ ]+$/)
    for (const secret of [SECRET, previous]) {
      expect(await verify(signature, { secret, now: Date.now() })).toBe(true)
      expect(new Webhook(secret).verify(BODY, both)).toEqual(JSON.parse(BODY))
    }
    expect(await verify(signature, { secret: newWebhookSecret(), now: Date.now() })).toBe(false)
  })

  it("are accepted by the client", async () => {
    expect(await verify(headers["svc-signature"] as string)).toBe(true)
  })
})

describe("a secret", () => {
  const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`

  it("is sealed with the first key, and opened with the key that sealed it", () => {
    const sealed = seal({ ENCRYPTION_KEYS: key("old", 1) }, "wh_1", SECRET)
    expect(sealed).toMatch(/^old:/)
    expect(sealed).not.toBe(seal({ ENCRYPTION_KEYS: key("old", 1) }, "wh_1", SECRET))
    const rotated = { ENCRYPTION_KEYS: `${key("new", 2)},${key("old", 1)}` }
    expect(unseal(rotated, "wh_1", sealed)).toBe(SECRET)
    expect(seal(rotated, "wh_1", SECRET)).toMatch(/^new:/)
  })

  it("does not open for another webhook, with another key, or changed", () => {
    const keys = { ENCRYPTION_KEYS: key("a", 1) }
    const sealed = seal(keys, "wh_1", SECRET)
    expect(() => unseal(keys, "wh_2", sealed)).toThrow()
    expect(() => unseal({ ENCRYPTION_KEYS: key("a", 2) }, "wh_1", sealed)).toThrow()
    expect(() => unseal({ ENCRYPTION_KEYS: key("b", 1) }, "wh_1", sealed)).toThrow("no key 'a'")
    const other = sealed[20] === "A" ? "B" : "A"
    expect(() =>
      unseal(keys, "wh_1", `${sealed.slice(0, 20)}${other}${sealed.slice(21)}`),
    ).toThrow()
  })

  it("is whsec_ and 44 characters that every base64 alphabet reads alike", () => {
    for (let i = 0; i < 50; i++) expect(newWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9]{44}$/)
  })
})

const v1 = `v1=${DIGEST}`
const GOOD = [
  `t=${TIME},${v1}`,
  `t=${TIME},v1=${OTHER},${v1}`,
  `t=${TIME},${v1},v1=${OTHER}`,
  `t=${TIME},${v1},${v1}`,
  `t=${TIME}${`,v1=${OTHER}`.repeat(7)},${v1}`,
]

const BAD = [
  "",
  "t",
  `t=${TIME}`,
  `t=${TIME},`,
  v1,
  `${v1},t=${TIME}`,
  `t=,${v1}`,
  `t=+${TIME},${v1}`,
  `t=-${TIME},${v1}`,
  `t=0${TIME},${v1}`,
  `t=${TIME}.0,${v1}`,
  `t=1.8e9,${v1}`,
  `t=0x6b49d200,${v1}`,
  `t=1234567890123,${v1}`,
  `T=${TIME},${v1}`,
  ` t=${TIME},${v1}`,
  `t=${TIME},${v1} `,
  `t=${TIME},${v1}\n`,
  `t=${TIME}, ${v1}`,
  `t= ${TIME},${v1}`,
  `t=${TIME},${v1},`,
  `t=${TIME},,${v1}`,
  `t=${TIME};${v1}`,
  `t=${TIME},t=${TIME},${v1}`,
  `t=${TIME},V1=${DIGEST}`,
  `t=${TIME},v1=${DIGEST.toUpperCase()}`,
  `t=${TIME},v1=${DIGEST.slice(1)}`,
  `t=${TIME},v1=${DIGEST}0`,
  `t=${TIME},v1=${DIGEST.slice(0, 63)}g`,
  `t=${TIME},v1=`,
  `t=${TIME},v0=${DIGEST}`,
  `t=${TIME},v2=${DIGEST},${v1}`,
  `t=${TIME},${v1},v2=${DIGEST}`,
  `t=${TIME},${v1},nonce=1`,
  `t=${TIME}${`,v1=${OTHER}`.repeat(8)},${v1}`,
  `t=${TIME},v1=${OTHER}`,
  `t=${TIME + 1},${v1}`,
]

describe("the client's verification", () => {
  it.each(GOOD)("accepts %j", async (header) => {
    expect(await verify(header)).toBe(true)
  })

  it.each(BAD)("refuses %j", async (header) => {
    expect(await verify(header)).toBe(false)
  })

  it("refuses a missing header, an empty or another secret, and another body", async () => {
    const header = `t=${TIME},${v1}`
    expect(await verify(null)).toBe(false)
    const unsigned = verify(`t=${TIME},v1=${hexOf("", TIME, BODY)}`, { secret: "" })
    expect(await unsigned).toBe(false)
    expect(await verify(header, { secret: newWebhookSecret() })).toBe(false)
    expect(await verify(header, { body: JSON.stringify(JSON.parse(BODY), null, 1) })).toBe(false)
  })

  it.each([
    [-301, false],
    [-300, true],
    [0, true],
    [300, true],
    [301, false],
  ])("at %i seconds from the receiver's clock: %s", async (seconds, accepted) => {
    const time = TIME + seconds
    expect(await verify(`t=${time},v1=${hexOf(SECRET, time, BODY)}`)).toBe(accepted)
  })

  it.each([
    [300.001, false],
    [299.999, true],
    [-299.999, true],
    [-300.001, false],
  ])("measures the age in parts of a second: %s", async (seconds, accepted) => {
    const signature = `t=${TIME},${v1}`
    const now = NOW + seconds * 1000
    expect(await verify(signature, { now })).toBe(accepted)
  })

  it("takes the time 0 as canonical, and refuses it for its age alone", async () => {
    const signature = `t=0,v1=${hexOf(SECRET, 0, BODY)}`
    expect(await verify(signature, { now: 1000 })).toBe(true)
    expect(await verify(signature)).toBe(false)
  })
})
