import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import {
  domainAndParents,
  formatMailbox,
  normalizeAddress,
  normalizeDomain,
  parseMailbox,
} from "../../src/lib/address.ts"
import { chunk, mapLimit } from "../../src/lib/chunk.ts"
import { derivedId, firstIdAt, newId, timeOf } from "../../src/lib/id.ts"
import { canonicalJson, jsonChunks } from "../../src/lib/json.ts"
import { describeError } from "../../src/lib/log.ts"
import { signingKeys } from "../../src/lib/signing-keys.ts"
import { readToken, signToken } from "../../src/lib/token.ts"
import { inline } from "../../src/worker/platform/db/statement.ts"
import { readCursor, writeCursor } from "../../src/worker/platform/http/page.ts"

describe("a mailbox", () => {
  it.each([
    ["a@b.co", { address: "a@b.co" }],
    ["  A@B.CO ", { address: "a@b.co" }],
    ["<a@b.co>", { address: "a@b.co" }],
    ["Ann <a@b.co>", { address: "a@b.co", name: "Ann" }],
    ["Ann<a@b.co>", { address: "a@b.co", name: "Ann" }],
    ["Ann O'Neil <a@b.co>", { address: "a@b.co", name: "Ann O'Neil" }],
    ['"Doe, Jo" <a@b.co>', { address: "a@b.co", name: "Doe, Jo" }],
    ['"A \\"B\\" C" <a@b.co>', { address: "a@b.co", name: 'A "B" C' }],
    ["Jürgen 👋 <a@b.co>", { address: "a@b.co", name: "Jürgen 👋" }],
    ["a+tag@b.co", { address: "a+tag@b.co" }],
    ["x@münchen.de", { address: "x@xn--mnchen-3ya.de" }],
    ["x@نامه\u200cای.com", { address: "x@xn--mgba3gch31f060k.com" }],
    ["a@sub.b.co.", { address: "a@sub.b.co" }],
  ])("%s is read", (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox)
    expect(parseMailbox(formatMailbox(mailbox))).toEqual(mailbox)
  })

  it.each([
    "",
    "a",
    "@b.co",
    "a@",
    "a@b",
    "a@b.c0m.1",
    "a@b..co",
    "a@-b.co",
    "a b@c.de",
    "a@b c.de",
    "a@b.co>",
    "<a@b.co",
    "Ann a@b.co",
    "ä@b.co",
    "a@b.co, c@d.ee",
    "a@b@c.de",
    "a@b%63.co",
    "a@b.co\n",
    "a@b.co/x",
    '"a" "b" <a@b.co>',
    `${"a".repeat(65)}@b.co`,
    `a@${`${"b".repeat(63)}.`.repeat(4)}co`,
  ])("%j is none", (text) => expect(parseMailbox(text)).toBeNull())

  it("normalises to lower case and punycode", () => {
    expect(normalizeAddress("A.B@Ü.De")).toBe("a.b@xn--tda.de")
    expect(normalizeDomain("EXAMPLE.com.")).toBe("example.com")
    expect(normalizeDomain("localhost")).toBeNull()
  })

  it("has a domain and its parents", () => {
    expect(domainAndParents("a.b.co")).toEqual(["a.b.co", "b.co"])
  })
})

describe("an id", () => {
  it("derived from a seed is always the same", () => {
    expect(derivedId("event", 5, "x")).toBe(derivedId("event", 5, "x"))
    expect(derivedId("event", 5, "x")).not.toBe(derivedId("event", 5, "y"))
    expect(derivedId("event", 5, "x")).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/)
  })

  it("is above all earlier ids of its process, also in one millisecond", () => {
    const ids = Array.from({ length: 1000 }, () => newId("email", 1))
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(1000)
  })

  it("sorts by time", () => {
    const early = newId("email", 1_000)
    expect(early < newId("email", 2_000)).toBe(true)
    expect(firstIdAt("email", 1_000) <= early).toBe(true)
    expect(firstIdAt("email", 1_001) > early).toBe(true)
    expect(firstIdAt("email", -1)).toBe(firstIdAt("email", 0))
  })

  it("says its time", () => {
    for (const time of [0, 1_000, 1_772_366_400_123, 2 ** 48 - 1]) {
      expect(timeOf(firstIdAt("webhook", time))).toBe(time)
    }
  })
})

describe("a cursor", () => {
  it("comes back as the id it was made from", () => {
    const id = newId("email")
    expect(readCursor("email", writeCursor(id))).toBe(id)
  })

  it("of another kind is malformed", () => {
    expect(() => readCursor("email", writeCursor(newId("apiKey")))).toThrow("Malformed cursor")
  })
})

describe("JSON", () => {
  it("is canonical whatever the order of its keys", () => {
    expect(canonicalJson({ b: [{ y: 1, x: undefined }], a: null })).toBe('{"a":null,"b":[{"y":1}]}')
  })

  it("is cut into chunks that hold every row once", () => {
    const rows = Array.from({ length: 50 }, (_, index) => ({ index, text: "x".repeat(index) }))
    const chunks = jsonChunks(rows, 200)
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.flatMap((part) => JSON.parse(part))).toEqual(rows)
    expect(chunks.filter((part) => part.length > 210)).toEqual([])
    expect(jsonChunks([])).toEqual([])
  })
})

describe("work in parts", () => {
  it("keeps order and never runs more than the limit at once", async () => {
    let running = 0
    let most = 0
    const results = await mapLimit([5, 1, 4, 2, 3], 2, async (ms) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, ms))
      running--
      return ms * 2
    })
    expect(results).toEqual([10, 2, 8, 4, 6])
    expect(most).toBe(2)
  })

  it("is cut into chunks of the same size", () =>
    expect(chunk([1, 2, 3], 2)).toEqual([[1, 2], [3]]))
})

describe("a statement", () => {
  it("written out says what its values say, quotes and all", async () => {
    const values = ["it's ? 'quoted'", 7, null]
    const text = inline({ sql: "select ? as a, ? as b, ? as c", values })
    const row = await env.DB.prepare(text).first()
    expect(row).toEqual({ a: values[0], b: 7, c: null })
  })
})

describe("a token", () => {
  const key = "k".repeat(32)
  const token = signToken(key, "open", { email: "em_1" })

  it("gives its payload back for its purpose and key only", () => {
    expect(readToken(key, "open", token)).toEqual({ email: "em_1" })
    expect(readToken(key, "click", token)).toBeNull()
    expect(readToken("x".repeat(32), "open", token)).toBeNull()
  })

  it("stays valid while its key is listed, and the first key signs", () => {
    const newer = "n".repeat(32)
    const payload = { email: "em_1" }
    expect(readToken(`${newer},${key}`, "open", token)).toEqual(payload)
    expect(readToken(newer, "open", token)).toBeNull()
    const signed = signToken(`${newer},${key}`, "open", payload)
    expect(signed).toBe(signToken(newer, "open", payload))
    expect(readToken(`${newer},${key}`, "click", token)).toBeNull()
  })

  it("of a single key with a comma in it stays valid", () => {
    expect(signingKeys("a passphrase, with a comma and more than 32 characters")).toHaveLength(1)
    expect(signingKeys(`${key},`)).toEqual([`${key},`])
  })

  it.each(["", ".", "a.b", `${token}x`, token.slice(1), `${token}.x`, token.replace(".", "")])(
    "that was tampered with is none: %j",
    (forged) => expect(readToken(key, "open", forged)).toBeNull(),
  )
})

describe("what a log shows of an error", () => {
  it("holds no bound value of a query", async () => {
    const { DrizzleQueryError } = await import("drizzle-orm/errors")
    const error = new DrizzleQueryError(
      "insert ?",
      ["a secret"],
      new Error("D1_ERROR: no such table"),
    )
    expect(JSON.stringify(describeError(error))).not.toContain("a secret")
    expect(describeError(error).error).toBe("D1_ERROR: no such table")
  })
})
