import { expect, it } from "vitest"
import { resolve } from "../../src/lib/dns.ts"
import { fakeOutside } from "../support/outside.ts"

it.each([
  ["bare", "bare"],
  ['""', ""],
  ['"a" "b"', "ab"],
  ['"a\\"b\\\\c"', 'a"b\\c'],
  ['"a" c "b"', "ab"],
  // Some resolvers do not escape what a record says.
  [`"${'\\"'.repeat(500_000)}`, '"'.repeat(500_000)],
])("TXT data is read, however odd or long (%#)", async (data, text) => {
  const outside = fakeOutside({
    "dns.example.com": () => Response.json({ Status: 0, Answer: [{ type: 16, data }] }),
  })
  const settings = { DNS_OVER_HTTPS_URL: "https://dns.example.com/dns-query" }
  const found = await resolve(settings, "example.com", "TXT")
  expect(found.ok && found.answers[0] === text).toBe(true)
  outside.mockRestore()
})
