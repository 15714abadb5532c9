import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { type EmailContent, loadContent } from "../../../src/worker/emails/content.ts"
import { bytesOf, isLarge, store } from "../../../src/worker/platform/db/overflow.ts"
import { packContents } from "../../../src/worker/platform/db/packed-content.ts"

const EMPTY: EmailContent = { html: null, text: null, headers: {}, attachments: [] }
const LINES = '"\n\u0001'.repeat(200_000)

it.each([
  ["small", { text: "Hi" }],
  ["large html", { html: LINES, text: "Hi" }],
  ["large text, and nothing else", { text: LINES }],
  ["an empty text", { html: LINES, text: "" }],
  ["a byte order mark", { html: `\ufeff${LINES}`, text: "\ufeff" }],
  ["characters of four bytes", { html: `a${"\ud83d\ude00".repeat(400_000)}`, text: "\u00e9" }],
  [
    "files and headers",
    {
      headers: { "X-Line": "a\u2028b" },
      attachments: [
        { filename: "gr\u00fc\u00df.bin", content: Buffer.alloc(90_000, 1).toString("base64") },
        { filename: "b.txt", content: "Yg==", contentType: "text/plain", contentId: "b" },
      ],
    },
  ],
])("the content of an email is stored and read again: %s", async (name, changed) => {
  const content = { ...EMPTY, ...changed }
  const [packed] = packContents([content])
  const stored = await store(env, packed!, () => name)
  expect(await loadContent(env, stored)).toEqual(content)
  expect(isLarge(stored)).toBe(name !== "small")
})

it("small contents of a call beyond the limit of gzip stay in their rows", async () => {
  const large = { ...EMPTY, html: "a".repeat(500_000) }
  const packed = packContents([...Array(10).fill(large), { ...EMPTY, text: "\u00e9\n" }])
  expect(bytesOf(packed[0]!)).toBeLessThan(10_000)
  expect(bytesOf(packed[9]!)).toBeGreaterThan(500_000)
  const stored = await store(env, packed[10]!, () => "last")
  expect(stored.objectKey).toBeNull()
  expect(isLarge(stored)).toBe(false)
  expect(await loadContent(env, stored)).toEqual({ ...EMPTY, text: "\u00e9\n" })
})
