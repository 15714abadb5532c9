import { expect, it } from "vitest"
import { endsWithin } from "../../src/lib/within.ts"
import { callCloudflare } from "../../src/worker/providers/cloudflare/api.ts"
import { fakeOutside } from "../support/outside.ts"

/** As many as workerd allows at a time. */
const MOST_TIMERS = 10_000

const SETTINGS = { CLOUDFLARE_API_TOKEN: "t", CLOUDFLARE_API_URL: "https://api.example.com" }
const call = async () => (await callCloudflare(SETTINGS as never, "GET", "/")).ok

it.each([
  ["calls that were answered leave", call],
  ["work that ended in time leaves", () => endsWithin(60_000, Promise.resolve())],
])("%s no timer behind", async (_, work) => {
  const outside = fakeOutside({ "api.example.com": () => Response.json({ result: "yes" }) })
  const answers = new Set<boolean>()
  for (let done = 0; done <= MOST_TIMERS; done++) answers.add(await work())
  expect([...answers]).toEqual([true])
  outside.mockRestore()
})
