import { createHash, generateKeyPairSync, type KeyObject, sign as signBytes } from "node:crypto"
import DKIM from "nodemailer/lib/dkim"
import { describe, expect, it } from "vitest"
import { type Canonicalization, hashBody, signedHeader } from "../../src/lib/dkim/canonical.ts"
import { organizationalDomain, senderState } from "../../src/lib/dkim/sender-state.ts"
import { type DkimResult, verifyDkim } from "../../src/lib/dkim/verify.ts"
import { headerFields } from "../../src/lib/header-fields.ts"
import { lines, RFC_8463 } from "../support/dkim-example.ts"

const NOW = new Date("2026-01-02T03:04:05Z")
const NOW_SECONDS = NOW.getTime() / 1_000

const { body } = RFC_8463

const RFC_6376 = {
  keys: {
    "brisbane._domainkey.example.com":
      "v=DKIM1; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYtIxN2SnFCjxOCKG9v3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR+Rcac2gbto/NMqJ0fzfVjH4OuKhitdY9tf6mcwGjaNBcWToIMmPSPDdQPNUYckcQ2QIDAQAB",
  },
  // As erratum 3192 corrects its body.
  message:
    lines(
      "DKIM-Signature: v=1; a=rsa-sha256; s=brisbane; d=example.com;",
      "      c=simple/simple; q=dns/txt; i=joe@football.example.com;",
      "      h=Received : From : To : Subject : Date : Message-ID;",
      "      bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;",
      "      b=AuUoFEfDxTDkHlLXSZEpZj79LICEps6eda7W3deTVFOk4yAUoqOB",
      "      4nujc7YopdG5dWLSdNg6xNAZpOPr+kHxt1IrE+NahM6L/LbvaHut",
      "      KVdkLLkpVaVVQPzeRDI009SO2Il5Lu7rDNH6mZckBdrIx0orEtZV",
      "      4bmp/YzhwvcubU4=;",
      "Received: from client1.football.example.com  [192.0.2.1]",
      "      by submitserver.example.com with SUBMISSION;",
      "      Fri, 11 Jul 2003 21:01:54 -0700 (PDT)",
      "From: Joe SixPack <joe@football.example.com>",
      "To: Suzie Q <suzie@shopping.example.net>",
      "Subject: Is dinner ready?",
      "Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)",
      "Message-ID: <20030712040037.46341.5F8J@football.example.com>",
      "",
    ) + body.replace("  ", " "),
}

async function check(message: string | Buffer, keys: Record<string, string | string[] | null>) {
  const bytes = typeof message === "string" ? Buffer.from(message, "latin1") : message
  const resolve = async (name: string) => (name in keys ? asList(keys[name]) : [])
  const found = await verifyDkim(bytes, resolve, NOW)
  return found.map(({ result }) => result)
}
const asList = (texts: string | string[] | null | undefined) =>
  typeof texts === "string" ? [texts] : (texts ?? null)

describe("the examples of the standards", () => {
  it("RFC 6376, appendix A", async () => {
    expect(await check(RFC_6376.message, RFC_6376.keys)).toEqual(["pass"])
  })

  it("RFC 8463, appendix A", async () => {
    const message = `${RFC_8463.signatures.join("")}${RFC_8463.header}\r\n${body}`
    expect(await check(message, RFC_8463.keys)).toEqual(["pass", "pass"])
    const lineFeeds = message.replaceAll("\r\n", "\n")
    expect(await check(lineFeeds, RFC_8463.keys)).toEqual(["pass", "pass"])
  })
})

const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 })
const ed25519 = generateKeyPairSync("ed25519")
const NAME = "s1._domainkey.example.com"

const base64Of = ({ publicKey }: { publicKey: KeyObject }, type: "spki" | "pkcs1" = "spki") =>
  publicKey.export({ type, format: "der" }).toString("base64")
/** The last 32 bytes of the DER are the key itself. */
const rawOf = ({ publicKey }: { publicKey: KeyObject }) =>
  publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64")
const KEYS = { [NAME]: `v=DKIM1; k=rsa; p=${base64Of(rsa)}` }

interface SignOptions {
  header?: string
  body?: string
  c?: string
  tags?: Record<string, string | null> | undefined
  key?: KeyObject
}

const HEADER = lines(
  "From: Ann <ann@example.com>",
  "To: Bob <bob@example.net>",
  "Subject: A  folded",
  "\tsubject ",
  "X-Kind: test",
)

/** A signed message. Tags replace those that it would have; null leaves one out. */
async function signed({
  header = HEADER,
  body: text = body,
  c = "relaxed/relaxed",
  tags,
  key,
}: SignOptions = {}) {
  const [ofHeader, ofBody] = c.split("/") as [Canonicalization, Canonicalization]
  const isRsa = (key ?? rsa.privateKey).asymmetricKeyType === "rsa"
  const all = {
    v: "1",
    a: isRsa ? "rsa-sha256" : "ed25519-sha256",
    c,
    d: "example.com",
    s: "s1",
    h: "from:to:subject:x-kind",
    bh: await hashBody(Buffer.from(text, "latin1"), ofBody ?? "simple"),
    b: "",
    ...tags,
  }
  const unsigned = `DKIM-Signature: ${Object.entries(all)
    .flatMap(([name, value]) => (value === null ? [] : `${name}=${value}`))
    .join("; ")}`
  const fields = headerFields(`${unsigned}\r\n${header}`)
  const bytes = signedHeader(fields, fields[0]!, all.h?.toLowerCase().split(":") ?? [], ofHeader)
  const value = isRsa
    ? signBytes("RSA-SHA256", bytes, key ?? rsa.privateKey)
    : signBytes(null, createHash("sha256").update(bytes).digest(), key!)
  const b = tags?.b ?? value.toString("base64")
  return `${unsigned.replace("; b=", `; b=${b}`)}\r\n${header}\r\n${text}`
}

describe("signatures that hold", () => {
  it.each(["simple/simple", "simple/relaxed", "relaxed/simple", "relaxed/relaxed"])(
    "%s",
    async (c) => {
      for (const text of [
        body,
        "",
        "\r\n",
        "no end",
        " blanks \t at\tends \r\n \r\n\r\n",
        "\r\n\r\na\r\n",
      ])
        expect(await check(await signed({ c, body: text }), KEYS), JSON.stringify(text)).toEqual([
          "pass",
        ])
    },
  )

  it("of nodemailer", async () => {
    const signer = new DKIM({
      domainName: "example.com",
      keySelector: "s1",
      privateKey: rsa.privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    })
    for (const text of [body, "a  b \r\n\r\n\r\n", `${"long line ".repeat(10_000)}\r\n`]) {
      const pieces: Buffer[] = []
      for await (const piece of signer.sign(`${HEADER}\r\n${text}`)) pieces.push(Buffer.from(piece))
      expect(await check(Buffer.concat(pieces), KEYS)).toEqual(["pass"])
    }
  })

  it("of Ed25519", async () => {
    const keys = { [NAME]: `v=DKIM1; k=ed25519; p=${rawOf(ed25519)}` }
    expect(await check(await signed({ key: ed25519.privateKey }), keys)).toEqual(["pass"])
  })

  it("relaxed ones after a server folded and spaced the header anew", async () => {
    const moved = (await signed())
      .replace("From: Ann", "from : \r\n\tAnn")
      .replace("A  folded\r\n\tsubject ", "A folded subject")
    expect(await check(moved, KEYS)).toEqual(["pass"])
  })

  it("the last ones of fields that repeat, and fields that are not there", async () => {
    const twice = `X-Kind: first\r\n${HEADER}`
    const message = await signed({ header: twice, tags: { h: "from:x-kind:x-kind:x-kind:none" } })
    expect(await check(message, KEYS)).toEqual(["pass"])
    expect(await check(message.replace("first", "other"), KEYS)).toEqual(["fail"])
    expect(await check(message.replace("X-Kind: f", "None: n\r\nX-Kind: f"), KEYS)).toEqual([
      "fail",
    ])
    const last = await signed({ header: twice, tags: { h: "from:x-kind" } })
    expect(await check(last.replace("first", "other"), KEYS)).toEqual(["pass"])
    expect(await check(last.replace("X-Kind: test", "X-Kind: other"), KEYS)).toEqual(["fail"])
  })

  it("only the first five count", async () => {
    const message = await signed()
    const own = message.slice(0, message.indexOf("\r\n") + 2)
    expect(await check(own.repeat(7) + message, KEYS)).toEqual(Array(5).fill("pass"))
  })
})

describe("what a signature says", () => {
  it.each<[string, SignOptions["tags"], DkimResult]>([
    ["another version", { v: "2" }, "permerror"],
    ["no version", { v: null }, "permerror"],
    ["an unknown algorithm", { a: "rsa-sha512" }, "permerror"],
    ["SHA-1", { a: "rsa-sha1" }, "policy"],
    ["a length of the body", { l: "3" }, "policy"],
    ["no From among the fields", { h: "to:subject" }, "permerror"],
    ["no body hash", { bh: null }, "permerror"],
    ["another body hash", { bh: "YQ==" }, "fail"],
    ["no selector", { s: null }, "permerror"],
    ["a selector that is no name", { s: "a..b" }, "permerror"],
    ["a wrong base64 value", { b: "a*b" }, "permerror"],
    ["an unknown canonicalization", { c: "nowsp/simple" }, "permerror"],
    ["another way to find the key", { q: "https" }, "permerror"],
    ["this way among others", { q: "https:dns/txt" }, "pass"],
    ["a user below the domain", { i: "ann@mail.example.com" }, "pass"],
    ["a user of another domain", { i: "ann@badexample.com" }, "permerror"],
    ["a time in the past", { t: `${NOW_SECONDS - 60}` }, "pass"],
    ["a time in the future", { t: `${NOW_SECONDS + 3_600}` }, "neutral"],
    ["an end in the future", { t: "1", x: `${NOW_SECONDS + 60}` }, "pass"],
    ["an end in the past", { t: "1", x: `${NOW_SECONDS - 1}` }, "neutral"],
    ["an end before its time", { t: `${NOW_SECONDS - 60}`, x: "5" }, "permerror"],
    ["a time that is none", { t: "today" }, "permerror"],
    ["a tag that nobody knows", { unknown: "1" }, "pass"],
  ])("%s", async (_, tags, result) => {
    expect(await check(await signed({ tags }), KEYS)).toEqual([result])
  })

  it("a tag that stands twice, and no domain: no signature", async () => {
    expect(await check((await signed()).replace("; s=s1", "; s=s1; s=s1"), KEYS)).toEqual([])
    expect(await check(await signed({ tags: { d: null } }), KEYS)).toEqual([])
  })
})

describe("what a key record says", () => {
  const p = base64Of(rsa)
  it.each<[string, string | string[] | null, DkimResult]>([
    ["no answer", null, "temperror"],
    ["no record", [], "permerror"],
    ["a revoked key", "v=DKIM1; p=", "permerror"],
    ["only a key", `p=${p}`, "pass"],
    ["a key as RSAPublicKey", `v=DKIM1; p=${base64Of(rsa, "pkcs1")}`, "pass"],
    ["a key with blanks", `v=DKIM1; p=${p.slice(0, 70)} ${p.slice(70)};`, "pass"],
    ["another record beside it", ["v=spf1 -all", `v=DKIM1; p=${p}`], "pass"],
    ["another version", `v=DKIM2; p=${p}`, "permerror"],
    ["a version that is not first", `p=${p}; v=DKIM1`, "permerror"],
    ["another type of key", `v=DKIM1; k=ed25519; p=${p}`, "permerror"],
    ["other hashes", `v=DKIM1; h=sha1; p=${p}`, "permerror"],
    ["this hash", `v=DKIM1; h=sha1:sha256; p=${p}`, "pass"],
    ["another service", `v=DKIM1; s=other; p=${p}`, "permerror"],
    ["this service", `v=DKIM1; s=email; p=${p}`, "pass"],
    ["a key that is none", "v=DKIM1; p=aGVsbG8=", "permerror"],
    ["no base64", "v=DKIM1; p=***", "permerror"],
    [
      "another key",
      `v=DKIM1; p=${base64Of(generateKeyPairSync("rsa", { modulusLength: 1_024 }))}`,
      "fail",
    ],
    [
      "another key that is only tried",
      `v=DKIM1; t=y; p=${base64Of(generateKeyPairSync("rsa", { modulusLength: 1_024 }))}`,
      "neutral",
    ],
  ])("%s", async (_, record, result) => {
    expect(await check(await signed(), { [NAME]: record })).toEqual([result])
  })

  it("t=s: no domain below its own", async () => {
    const keys = { [NAME]: `v=DKIM1; t=y:s; p=${p}` }
    expect(await check(await signed({ tags: { i: "ann@mail.example.com" } }), keys)).toEqual([
      "permerror",
    ])
    expect(await check(await signed({ tags: { i: "ann@example.com" } }), keys)).toEqual(["pass"])
  })

  it("RSA from 1,024 bits", async () => {
    for (const [bits, result] of [
      [768, "policy"],
      [1_024, "pass"],
    ] as const) {
      const key = generateKeyPairSync("rsa", { modulusLength: bits })
      const keys = { [NAME]: `v=DKIM1; p=${base64Of(key)}` }
      expect(await check(await signed({ key: key.privateKey }), keys), `${bits}`).toEqual([result])
    }
  })
})

describe("tampered messages", () => {
  const messages: SignOptions[] = [
    { c: "simple/simple" },
    { c: "relaxed/relaxed" },
    { header: HEADER.replace("X-Kind", "From"), tags: { h: "from:from:from:to:subject" } },
  ]

  it.each(messages)("no changed byte holds (%#)", async (options) => {
    const message = await signed(options)
    for (let at = 0; at < message.length; at++) {
      const bytes = Buffer.from(message, "latin1")
      bytes[at]! ^= 1
      expect(await check(bytes, KEYS), `byte ${at}`).not.toContain("pass")
    }
  })

  it.each(messages)("no line that is left out or stands twice holds (%#)", async (options) => {
    const message = await signed(options)
    const all = message.split(/(?<=\r\n)/)
    for (const at of all.keys()) {
      // The body may end with any number of empty lines, and a header field may stand above the signed one.
      const without = all.toSpliced(at, 1)
      expect(await check(without.join(""), KEYS), `without ${at}`).not.toContain("pass")
    }
    const added = `${message}more\r\n`
    expect(await check(added, KEYS)).not.toContain("pass")
  })

  it("a second From above one that is signed twice", async () => {
    const message = await signed({ tags: { h: "from:from:to:subject:x-kind" } })
    expect(await check(message, KEYS)).toEqual(["pass"])
    expect(await check(`From: Eve <eve@example.org>\r\n${message}`, KEYS)).toEqual(["fail"])
  })

  it("no half of a message and no odd text throws", async () => {
    const message = await signed()
    for (let at = 7; at < message.length; at += 7) {
      expect(await check(message.slice(0, at), KEYS)).not.toContain("pass")
      expect(await check(message.slice(at), KEYS)).not.toContain("pass")
    }
    const odd = [
      "",
      "\r\n",
      "\n\n",
      ":",
      "DKIM-Signature:",
      "DKIM-Signature: ;;;=;",
      "\0\r\n \r\n\r\n",
    ]
    const tags = "v a b bh c d h i l q s t x".split(" ")
    const values = ["", "=", ";", ":", "\0", "@", "\xff", ".", "1".repeat(400), "%00", " ", "a/b/c"]
    const changed = await Promise.all(
      tags.flatMap((tag) => values.map((value) => signed({ tags: { [tag]: value } }))),
    )
    for (const text of [...odd, ...changed]) expect(await check(text, KEYS)).toBeInstanceOf(Array)
    const records = tags.flatMap((tag) =>
      values.map((value) => `v=DKIM1; ${tag}=${value}; p=${value}`),
    )
    for (const record of records)
      expect(await check(message, { [NAME]: record })).not.toContain("pass")
  })
})

it("a message of 25 MiB is read once for each form of its body", async () => {
  const text = `${`${"x".repeat(76)} \r\n`.repeat(330_000)}${"\r\n".repeat(1_000)}`
  const message = await signed({ body: text })
  const own = message.slice(0, message.indexOf("\r\n") + 2)
  expect(await check(own.repeat(4) + message, KEYS)).toEqual(Array(5).fill("pass"))
})

describe("who sent it", () => {
  it.each<[string, [string, DkimResult][], string]>([
    ["verified", [["example.com", "pass"]], "verified"],
    ["of a domain beside it", [["mail.example.com", "pass"]], "verified"],
    [
      "one of several",
      [
        ["example.com", "fail"],
        ["example.com", "pass"],
      ],
      "verified",
    ],
    ["another domain", [["example.org", "pass"]], "unverified"],
    ["another domain that fails", [["example.org", "fail"]], "unverified"],
    ["no signature", [], "unverified"],
    ["no key", [["example.com", "permerror"]], "unverified"],
    ["does not count", [["example.com", "policy"]], "unverified"],
    [
      "a failure",
      [
        ["example.com", "fail"],
        ["example.org", "pass"],
      ],
      "failed",
    ],
    [
      "a failure beside an unknown one",
      [
        ["example.com", "fail"],
        ["example.com", "permerror"],
      ],
      "failed",
    ],
    [
      "a failure beside one without an answer",
      [
        ["example.com", "fail"],
        ["example.com", "temperror"],
      ],
      "unverified",
    ],
  ])("%s", (_, results, state) => {
    const checks = results.map(([domain, result]) => ({ domain, result }))
    expect(senderState("news.example.com", checks)).toBe(state)
  })

  it.each([
    ["news.example.co.uk", "example.co.uk"],
    ["bank.co.uk", "bank.co.uk"],
    ["a.b.shop.com.br", "shop.com.br"],
    ["ann.github.io", "ann.github.io"],
    ["mail.ann.duckdns.org", "ann.duckdns.org"],
    ["mail.example.de", "example.de"],
    ["example.com", "example.com"],
  ])("%s belongs to %s", (domain, registered) => {
    expect(organizationalDomain(domain)).toBe(registered)
  })

  it.each([
    ["example.chiyoda.tokyo.jp", "tokyo.jp"],
    ["mail.ab.de", "mail.ab.de"],
  ])("%s is taken to belong to %s, since the list is short", (domain, registered) => {
    expect(organizationalDomain(domain)).toBe(registered)
  })

  it("another customer of the same suffix proves nothing", () => {
    expect(senderState("bank.co.uk", [{ domain: "eve.co.uk", result: "pass" }])).toBe("unverified")
    expect(senderState("bank.co.uk", [{ domain: "co.uk", result: "pass" }])).toBe("unverified")
    expect(senderState("ann.eu.org", [{ domain: "eve.eu.org", result: "pass" }])).toBe("unverified")
  })
})
