import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/lib/id.ts"
import { trackRaw } from "../../../../src/worker/emails/raw/track.ts"
import { readClick } from "../../../../src/worker/emails/tracking/links.ts"
import { testWork } from "../../../support/work.ts"

const { settings } = testWork().work
const email = { teamId: newId("team"), emailId: newId("email") }
const BOTH = { opens: true, clicks: true }

const bytesOf = (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"), "latin1")

const track = (message: string, tracked = BOTH) =>
  trackRaw(settings, email, bytesOf(message), tracked)

/** The message with its tracked links read back, and without the pixel. */
const untrack = (text: string) =>
  text
    .replace(/(?:\r\n)?<img src="[^"]*\/t\/o\/[^>]*>(?:\r\n)?/, "")
    .replace(/=(?:\r\n)?"[^"]*\/t\/c\/([^"]*)"(?:\r\n)?/g, (_, token) => {
      const { url = "" } = readClick(settings, token) ?? {}
      return `="${url}"`
    })

const LINK = '<p><a href="https://x.test/?a=1">x</a></p>'
const mixed = (html: string) =>
  `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=m\n\nPreamble\n--m\nContent-Type: multipart/alternative; boundary="a b"\n\n--a b\nContent-Type: text/plain\n\nhttps://x.test/ \n--a b\n${html}\n--a b--\n--m\nContent-Type: text/html; name=report.html\n\n${LINK}\n--m--\nEpilogue\n`

it("changes nothing where nothing is tracked", async () => {
  const message = mixed(`Content-Type: text/html\n\n${LINK}`)
  const { raw } = await track(message, { opens: false, clicks: false })
  expect(raw).toEqual(bytesOf(message))
})

it("rewrites the bytes of the html part alone", async () => {
  const message = mixed(`Content-Type: text/html\n\n${LINK}`)
  const { raw, untracked } = await track(message)
  const text = raw.toString("latin1")
  expect(untracked).toBeUndefined()
  expect(text.match(/\/t\/c\//g)).toHaveLength(1)
  expect(text.match(/\/t\/o\//g)).toHaveLength(1)
  expect(untrack(text)).toBe(bytesOf(message).toString("latin1"))
})

it("rewrites a message that is only html, and not one that has none", async () => {
  const html = await track(`Content-Type: text/html\n\n${LINK}`)
  expect(html.raw.toString()).toContain("/t/c/")
  const text = "Subject: a\n\nhttps://x.test/\n"
  expect((await track(text)).raw).toEqual(bytesOf(text))
})

describe("the transfer encoding and the charset stay", () => {
  const german = `${LINK}<p>Gr\xfc\xdfe=</p>`
  it("of base64", async () => {
    const base64 = Buffer.from(german, "latin1").toString("base64")
    const type = "Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: base64"
    const { raw } = await track(`${type}\n\n${base64}`)
    const [, body = ""] = raw.toString("latin1").split("\r\n\r\n")
    expect(Math.max(...body.split("\r\n").map((line) => line.length))).toBe(76)
    expect(untrack(Buffer.from(body, "base64").toString("latin1"))).toBe(german)
  })

  it("of quoted-printable", async () => {
    const type =
      "Content-Type: text/html; charset=cp437\nContent-Transfer-Encoding: quoted-printable"
    const long = "=E1 ".repeat(200).replace(/.{72}/g, "$&=\n")
    const { raw } = await track(`${type}\n\n<a href=3D"https://x.test/">=81</a> \n${long}`)
    const [, body = ""] = raw.toString("latin1").split("\r\n\r\n")
    expect(Math.max(...body.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(76)
    const decoded = body
      .replaceAll("=\r\n", "")
      .replace(/=(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    expect(untrack(decoded)).toBe(`<a href="https://x.test/">\x81</a> \r\n${"\xe1 ".repeat(200)}`)
  })

  it("of 8bit, with lines of at most 998 octets", async () => {
    const links = '<a href="https://x.test/">\xfc</a>'.repeat(28)
    const { raw } = await track(`Content-Type: text/html\n\n${links}`)
    const lines = raw.toString("latin1").split("\r\n")
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998)
    expect(untrack(raw.toString("latin1"))).toBe(`Content-Type: text/html\r\n\r\n${links}`)
  })

  it("but a link that would not fit into a line stays", async () => {
    const long = `<a href="https://x.test/${"a".repeat(900)}">x</a>`
    const { raw } = await track(`Content-Type: text/html\n\n${long}\n${LINK}`)
    expect(raw.toString("latin1")).toContain(long)
    expect(raw.toString("latin1").match(/\/t\/c\//g)).toHaveLength(1)
  })

  it.each([
    ["iso-8859-1", "\xfc", "ü"],
    ["utf-8", "\xc3\xbc", "ü"],
    ["", "\xc3\xbc", "ü"],
    ["windows-1251", "\xfc", "ь"],
  ])("of a link in %s", async (charset, bytes, letter) => {
    const message = `Content-Type: text/html; charset="${charset}"\n\n<a href="https://x.test/${bytes}">x</a>`
    const { raw } = await track(message)
    const [, token = ""] = /\/t\/c\/([^"]*)/.exec(raw.toString("latin1")) ?? []
    expect(readClick(settings, token)?.url).toBe(`https://x.test/${letter}`)
  })
})

it.each(["utf-16le", "UTF-7", "iso-2022-jp", "unknown encoding"])(
  "leaves html in %s as it is, and says so",
  async (charset) => {
    const encoding = charset === "unknown encoding" ? "x-uue" : "8bit"
    const message = `Content-Type: text/html; charset=${charset}\nContent-Transfer-Encoding: ${encoding}\n\n${LINK}`
    expect(await track(message)).toEqual({ raw: bytesOf(message), untracked: "unreadable" })
  },
)

it.each([
  [
    "multipart/signed",
    mixed(`Content-Type: text/html\n\n${LINK}`).replace("multipart/mixed", "multipart/signed"),
  ],
  [
    "multipart/encrypted",
    mixed(`Content-Type: text/html\n\n${LINK}`).replace("multipart/mixed", "Multipart/Encrypted"),
  ],
  [
    "a signed part",
    mixed(`Content-Type: text/html\n\n${LINK}`).replace(
      "multipart/alternative",
      "multipart/signed",
    ),
  ],
  ["S/MIME", mixed(`Content-Type: application/pkcs7-mime\n\n${LINK}`)],
  [
    "a signed message that is forwarded",
    mixed(
      `Content-Type: message/rfc822\n\nContent-Type: multipart/signed; boundary=s\n\n--s\n\n${LINK}\n--s--`,
    ),
  ],
])("never rewrites %s, and says so", async (_, message) => {
  expect(await track(message)).toEqual({ raw: bytesOf(message), untracked: "signed_or_encrypted" })
})

it("wraps no unsubscribe link, and rewrites no html of a forwarded message", async () => {
  const link = '<a href="https://x.test/u">x</a>'
  const own = `List-Unsubscribe: <https://x.test/u>,\n <mailto:u@x.test>\nContent-Type: text/html\n\n${link}`
  expect((await track(own)).raw.toString()).not.toContain("/t/c/")
  const forwarded = `Content-Type: message/rfc822\n\nContent-Type: text/html\n\n${LINK}`
  expect((await track(forwarded)).raw).toEqual(bytesOf(forwarded))
})
