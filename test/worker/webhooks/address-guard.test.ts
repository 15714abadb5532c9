import { beforeAll, describe, expect, it } from "vitest"
import { resolve } from "../../../src/lib/dns.ts"
import { findTarget } from "../../../src/worker/webhooks/address-guard.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"

const settings = {
  DNS_OVER_HTTPS_URL: "https://dns.example/dns-query",
  WEBHOOK_ALLOW_PRIVATE: false,
}

const kindOf = async (url: string) => (await findTarget(settings, url)).kind

const words = (text: string) => text.trim().split(/\s+/)

const LITERALS = words(`
 0.0.0.0 0.1.2.3 0.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255
  100.64.0.0 100.100.100.200 100.127.255.255 127.0.0.1 127.0.0.2 127.255.255.255
  169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.0 172.16.0.1 172.31.255.255
  192.0.0.0 192.0.0.8 192.0.0.9 192.0.0.10 192.0.0.170 192.0.0.171
  192.0.0.255 192.0.2.1 192.0.2.255 192.31.196.1 192.52.193.1 192.88.99.1
  192.88.99.2 192.168.0.1 192.168.255.255 192.175.48.1 198.18.0.1
  198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 232.0.0.1 239.255.255.255
  240.0.0.1 250.1.1.1 255.255.255.254 255.255.255.255
`)

const ODD_SPELLINGS = words(`
 127.1 127.0.1 127 1 0 2130706433 0x7f000001 0x7f.1 0x7f.0x0.0x0.0x1
  017700000001 0177.0.0.1 0177.1 00000177.0.0.1 127.0.0.1. 10.1 10.0.1
  167772161 0xa000001 012.0.0.1 192.168.257 0xc0a80001 3232235521 0300.0250.0.1
  0xa9fea9fe 2852039166 0251.0376.0251.0376 4294967295 %31%32%37.0.0.1
  １２７.0.0.1 127。0。0。1 ①②⑦.0.0.1
`)

const IPV6 = words(`
 :: ::1 0:0:0:0:0:0:0:1 ::2 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1
  ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1
  64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 100:0:0:1::1 2001::1
  2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::1 2001:1::2 2001:2::1 2001:3::1
  2001:4:112::1 2001:10::1 2001:20::1 2001:30::1 2001:1ff::1 2001:db8::1
  2001:db8:ffff::1 2002::1 2002:7f00:1:: 2002:a00:1::1 2002:808:808::1
  2620:4f:8000::1 3fff::1 3fff:fff::1 4000::1 5f00::1 8000::1 fc00::1
  fd00::1 fdff:ffff::1 fe80::1 fe80::1:2:3:4 febf::1 fec0::1 ff00::1
  ff02::1 ff0e::1
`)

const NAMES = words(`
 localhost LOCALHOST localhost. api.localhost api.localhost. ｌｏｃａｌｈｏｓｔ
  printer.local printer.local. service.internal metadata.google.internal
  localhost.. api.localhost.. intranet. intranet.. a..b .example.com example.com..
  metadata.google.internal. intranet router ⓛocalhost xn--bcher-kva db
`)

const PUBLIC = words(`
 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.0.0.1
  128.0.0.1 169.253.0.1 172.15.255.255 172.32.0.1 192.0.1.1 192.167.1.1
  198.17.255.255 198.20.0.1 223.255.255.254 [2606:4700::1111] [2001:4860:4860::8888]
  [2001:200::1] [2a00:1450::1] [2620:fe::fe] [2003::1] [3ffe::1] 134744072
`)

/** What a name answers, when every part of it is looked at. */
const REBINDING = [
  ["10.0.0.1"],
  ["93.184.215.14", "10.0.0.1"],
  ["93.184.215.14", "93.184.215.15", "169.254.169.254"],
  ["93.184.215.14", "::1"],
  ["2606:4700::1111", "fd00::1"],
  ["2606:4700::1111", "127.0.0.1"],
  ["93.184.215.14", "::ffff:10.0.0.1"],
  ["93.184.215.14", "64:ff9b::a00:1"],
  ["93.184.215.14", "2002:a00:1::1"],
  ["93.184.215.14", "not an address"],
]

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

describe("a DNS look-up", () => {
  const dns = { DNS_OVER_HTTPS_URL: "https://resolver.example/json?key=1" }
  const answering = (body: unknown) =>
    internet.answers.set("resolver.example", () => Response.json(body))

  it("answers the records of its type, texts in one piece", async () => {
    answering({
      Status: 0,
      Answer: [
        { type: 5, data: "alias.example." },
        { type: 16, data: '"v=spf1 \\"a\\" " "-all"' },
        { type: 16, data: "bare" },
      ],
    })
    expect(await resolve(dns, "example.com", "TXT")).toEqual({
      ok: true,
      answers: ['v=spf1 "a" -all', "bare"],
    })
    expect(await resolve(dns, "example.com", "CNAME")).toEqual({
      ok: true,
      answers: ["alias.example."],
    })
    expect(internet.received.at(-1)?.url).toBe(
      "https://resolver.example/json?key=1&name=example.com&type=CNAME",
    )
  })

  it("of an unknown name has no answers, and a failed look-up has a reason", async () => {
    answering({ Status: 3 })
    expect(await resolve(dns, "example.com", "A")).toEqual({ ok: true, answers: [] })
    answering({ Status: 2 })
    expect(await resolve(dns, "example.com", "A")).toMatchObject({ ok: false })
    answering("nonsense")
    expect(await resolve(dns, "example.com", "A")).toMatchObject({ ok: false })
  })
})

describe("the address guard", () => {
  it("has at least 120 targets to refuse and 20 to let pass", () => {
    const refused = LITERALS.length + ODD_SPELLINGS.length + IPV6.length + NAMES.length
    expect(refused + REBINDING.length).toBeGreaterThanOrEqual(120)
    expect(PUBLIC.length).toBeGreaterThanOrEqual(20)
  })

  it.each([...LITERALS, ...ODD_SPELLINGS, ...NAMES])("refuses %s", async (host) => {
    expect(await kindOf(`https://${host}/hook`)).toBe("private")
  })

  it.each(IPV6)("refuses [%s]", async (address) => {
    expect(await kindOf(`https://[${address}]/hook`)).toBe("private")
  })

  it.each(PUBLIC)("lets %s pass", async (host) => {
    expect(await kindOf(`https://${host}:8443/hook`)).toBe("public")
  })

  it.each(REBINDING.map((answers, index) => ({ host: `rebinding-${index}.example`, answers })))(
    "refuses a name that answers $answers",
    async ({ host, answers }) => {
      internet.names.set(host, answers)
      expect(await kindOf(`https://${host}/`)).toBe("private")
      expect(await kindOf(`https://${host}./`)).toBe("private")
    },
  )

  it("lets a name pass if all its addresses are public, in punycode as well", async () => {
    internet.names.set("xn--bcher-kva.example", ["93.184.215.14", "2606:4700::1111"])
    expect(await kindOf("https://bücher.example/hook")).toBe("public")
  })

  it("answers unknown for a name without an address, and after a failed look-up", async () => {
    internet.names.set("broken.example", null)
    internet.names.set("empty.example", [])
    expect(await kindOf("https://broken.example/")).toBe("unknown")
    expect(await kindOf("https://empty.example/")).toBe("unknown")
    expect(await kindOf("https://missing.example/")).toBe("unknown")
  })

  it("refuses plain http, and lets any URL pass if private targets are allowed", async () => {
    expect(await kindOf("http://1.1.1.1/")).toBe("private")
    const open = { ...settings, WEBHOOK_ALLOW_PRIVATE: true }
    expect(await findTarget(open, "http://127.0.0.1:3000/")).toEqual({ kind: "public" })
  })
})
