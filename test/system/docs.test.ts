import { createHmac } from "node:crypto"
import { expect, it } from "vitest"
import { signedHeaders } from "../../src/lib/webhook-signature.ts"
import { VERIFY } from "../../src/reference/guides/webhooks.ts"

const secret = `whsec_${"a".repeat(44)}`
const body = '{"type":"email.sent"}'
const signed = (now: number) =>
  signedHeaders([secret], { id: "evt_1", sequence: 1 }, body, now)["svc-signature"] as string

it("the reference's verifying code takes our signatures and no others", async () => {
  const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(VERIFY)}`)) as {
    isGenuine(rawBody: string, header: string | undefined, secret: string): boolean
  }
  const now = Date.now()
  const header = signed(now)
  const other = createHmac("sha256", "other").update("x").digest("hex")
  expect(isGenuine(body, header, secret)).toBe(true)
  expect(isGenuine(body, `${header},v1=${other}`, secret)).toBe(true)
  expect(isGenuine(`${body} `, header, secret)).toBe(false)
  expect(isGenuine(body, header, "whsec_other")).toBe(false)
  expect(isGenuine(body, header, "")).toBe(false)
  expect(isGenuine(body, undefined, secret)).toBe(false)
  expect(isGenuine(body, `${header},v2=1`, secret)).toBe(false)
  expect(isGenuine(body, signed(now - 302_000), secret)).toBe(false)
})
