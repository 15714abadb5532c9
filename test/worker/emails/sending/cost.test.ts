import { afterEach, describe, expect, it, vi } from "vitest"
import { newId } from "../../../../src/lib/id.ts"
import type { Block } from "../../../../src/worker/campaigns/blocks/contract.ts"
import {
  composeBody,
  lengthOf,
  MAX_PART_CHARACTERS,
  renderBody,
} from "../../../../src/worker/campaigns/body.ts"
import { inspectHtml } from "../../../../src/worker/emails/check/inspect-html.ts"
import { loadContent } from "../../../../src/worker/emails/content.ts"
import { MAX_REPORTED_LENGTH } from "../../../../src/worker/emails/contract.ts"
import { explainEntry } from "../../../../src/worker/emails/explain/cause.ts"
import { trackRaw } from "../../../../src/worker/emails/raw/track.ts"
import { attemptSend } from "../../../../src/worker/emails/sending/attempt.ts"
import type { Claimed } from "../../../../src/worker/emails/sending/claim.ts"
import type { EmailRow } from "../../../../src/worker/emails/table.ts"
import { trackHtml } from "../../../../src/worker/emails/tracking/track-html.ts"
import { store } from "../../../../src/worker/platform/db/overflow.ts"
import { packContents } from "../../../../src/worker/platform/db/packed-content.ts"
import { streamMime } from "../../../../src/worker/providers/mime.ts"
import { packMessage, unpackMessage } from "../../../../src/worker/providers/sandbox/message.ts"
import { ses } from "../../../../src/worker/providers/ses/ses.ts"
import { expectCheap } from "../../../support/cost.ts"
import { fakeOutside } from "../../../support/outside.ts"
import { testWork } from "../../../support/work.ts"

const MAX_CHARACTERS = 5_000_000
const filled = (part: string) => part.repeat(Math.floor(MAX_CHARACTERS / part.length))

const HTML: [string, string][] = [
  ["prose", filled("<p>Hello there, how are you today?</p>\n")],
  ["links", filled('<a href="https://x.test/">x</a>')],
  ["links to other hosts than they show", filled('<a href="https://x.test/">http://y.test/</a>')],
  ["tags", filled("<li>x")],
  ["tags that stay open", filled("<a ")],
  ["closing tags", filled("</body>")],
  ["attributes", `<a ${filled("href ")}>`],
  ["links to nowhere", filled('<a href="#">x</a>')],
  ["entities", filled("&amp;")],
  ["an address of entities", `<a href="${filled("&amp;")}">`],
  ["addresses of an entity", filled('<a href="&lt;">')],
]

describe("five million characters of html cost little, made of", () => {
  const email = { teamId: "team", emailId: "email" }
  const { settings } = testWork().work

  it.each(HTML)("%s, to be tracked", async (_what, html) => {
    const track = () => trackHtml(settings, email, html, { opens: true, clicks: true })
    expect((await track()).html.length).toBeGreaterThan(html.length)
    await expectCheap(track)
  })

  const type = "Content-Type: text/html; charset="
  const list = `List-Unsubscribe: ${"<https://x.test\r\n ".repeat(900)}<https://x.test/>\r\n`
  it.each([
    ["links in a charset that nobody knows", `${type}none`, filled('<a href="\xe9">')],
    ["links in bytes that are no UTF-8", `${type}utf-8`, filled('<a href="https://\xe9[">')],
    ["links of a long header", `${list}${type}utf-8`, filled('<a href="https://x.test/">')],
    [
      "bytes beyond ASCII",
      `${type}utf-8\r\nContent-Transfer-Encoding: quoted-printable`,
      filled("=e9"),
    ],
  ])("%s, to be tracked in a whole message", async (_what, header, html) => {
    const raw = Buffer.from(`${header}\r\n\r\n${html}`, "latin1")
    const track = () => trackRaw(settings, email, raw, { opens: true, clicks: true })
    expect((await track()).raw.length).toBeGreaterThan(raw.length)
    await expectCheap(track)
  })

  it.each(HTML)("%s, to be checked", async (_what, html) => {
    expect(inspectHtml(html).imagesWithoutAlt).toBe(0)
    await expectCheap(() => inspectHtml(html))
  })
})

it.each([
  " ",
  "5.",
  "5.1.1.",
  "a ",
  "550-",
  "unusual ",
  "doesn't have a ",
  "violates ",
  "E_HEADER_",
  "rejected due to ",
])("a receiver's answer of %j over and over costs little to explain", async (part) => {
  const diagnosticCode = part.repeat(MAX_REPORTED_LENGTH).slice(0, MAX_REPORTED_LENGTH)
  await expectCheap(() => {
    for (let count = 0; count < 200; count++) explainEntry("bounced", { diagnosticCode })
  })
})

it("an address with many entities is read as it is meant", async () => {
  const { settings } = testWork().work
  const html = `${filled("&amp;")}<a href="https://x.test/?a=1&amp;b=2">x</a>`
  const tracked = await trackHtml(settings, { teamId: "t", emailId: "e" }, html, {
    opens: false,
    clicks: true,
  })
  const [, payload = ""] = /\/t\/c\/([^."]+)/.exec(tracked.html) ?? []
  expect(Buffer.from(payload, "base64url").toString()).toContain("https://x.test/?a=1&b=2")
})

describe("an email with the longest parts costs little to hand to SES, of", () => {
  const SES_HOST = "email.us-east-1.amazonaws.com"
  const credentials = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" }
  const email = {
    ...{ teamId: newId("team"), id: newId("email"), attempts: 1, unanswered: 1, campaignId: null },
    ...{ sender: { address: "a@b.test" }, recipients: [], replyTo: [], subject: "S", tags: {} },
  } as unknown as EmailRow
  afterEach(() => vi.restoreAllMocks())

  const htmls = [
    ["prose", filled("<p>Hello there, how are you?</p>\n")],
    ["links", filled('<a href="https://x.test/?a=1&amp;b=2">x</a>')],
    ["letters of two bytes", filled("<p>\u0434\u0430 \u0434\u0430</p>")],
    ["quotes", filled('<p class="a">"x"</p>')],
  ] as const
  it.each([
    ...htmls.map(([what, html]) => [what, html, false] as const),
    ...htmls.map(([what, html]) => [`${what}, and a text made from it`, html, true] as const),
  ])("%s", async (_what, html, isMade) => {
    let bytes = 0
    fakeOutside({
      [SES_HOST]: async (request) => {
        bytes += (await request.arrayBuffer()).byteLength
        return Response.json({ MessageId: "m" })
      },
    })
    const { work } = testWork({ settings: credentials })
    const written = html.replaceAll(/<[^>]*>/g, "")
    const text = isMade ? null : written
    const content = { html, text, headers: {}, attachments: [] }
    const [packed = []] = packContents([content])
    const ids = { teamId: email.teamId, emailId: email.id }
    const row = { ...ids, ...(await store(work.env, packed, () => email.id)) }
    const claimed: Claimed = {
      ...{ email, isLarge: true, takesReports: false, blocked: [] },
      ...{ isOfDeletedTeam: false, isOfLostDomain: false },
      tracked: { opens: true, clicks: true },
      load: () => loadContent(work.env, row),
    }
    const attempt = { provider: ses(work), deadline: Infinity, awaitSlot: async () => true }
    const send = () => attemptSend(work, claimed, attempt)
    expect(await send()).toMatchObject({ kind: "accepted" })
    expect(bytes).toBeGreaterThan(html.length + written.length)
    await expectCheap(send)
  })
})

describe("a campaign with the largest body and two such layouts costs little, of", () => {
  const MAX_BLOCKS_CHARACTERS = 256 * 1024
  const VALUE = "'".repeat(2_000)
  const contact = { email: "a@b.co", firstName: VALUE, lastName: null, properties: { a: VALUE } }
  const sender = { name: "The Shop", postalAddress: null }
  const blocksOf = (part: string) => {
    const one = { kind: "text" as const, html: part.repeat(20_000 / part.length) }
    return Array<Block>(Math.floor(MAX_BLOCKS_CHARACTERS / JSON.stringify(one).length)).fill(one)
  }
  const divider = { kind: "divider" as const }
  const columns = Array(3).fill(Array(40).fill(divider))

  it.each<[string, Block[]]>([
    ["links", blocksOf('<a href="http://a/">x</a>')],
    ["merge fields", blocksOf("{{firstName}}")],
    ["merge fields in links", blocksOf('<a href="http://a/{{email}}">x</a>')],
    ["properties", blocksOf("{{ properties.a }}")],
    ["half merge fields", blocksOf("{{properties.")],
    ["breaks", blocksOf("<br>")],
    ["entities", blocksOf("&amp;")],
    ["short words", blocksOf("a ")],
    ["accents", blocksOf("a\u0301\u0301\u0301")],
    ["dividers", Array<Block>(100).fill({ kind: "columns", layout: "1-1-1", columns })],
  ])("%s", async (_what, blocks) => {
    const layouts = { header: blocks, footer: blocks, theme: null }
    const compose = () => composeBody({ subject: "S", preheader: null, blocks, ...layouts, sender })
    const body = compose()
    await expectCheap(compose)
    const render = () =>
      renderBody(body, contact, {}, { unsubscribeUrl: "https://x.test/u", preferencesUrl: "" })
    const longest = Math.max(lengthOf(body.html), MAX_PART_CHARACTERS)
    expect(render().html.length).toBeLessThan(longest + 6 * VALUE.length)
    await expectCheap(render)
  })
})

describe("a message with the longest parts costs little to write, of", () => {
  it.each([
    ["prose", filled("Hello there, how are you?\n"), []],
    ["letters beyond ASCII", filled("Gr\u00fc\u00dfe aus M\u00fcnchen, liebe Leute\n"), []],
    ["letters of three bytes", "\u4e00\u9f98".repeat(2_000_000), []],
    ["one line", filled("x"), []],
    ["line ends", filled("\n"), []],
    ["files", "x", [{ filename: "a", content: "+/".repeat(7_000_000), contentType: "text/plain" }]],
  ])("%s", async (_what, text, attachments) => {
    const from = { address: "a@b.test" }
    const message = {
      ...{ emailId: "email", from, to: [from], cc: [], replyTo: [], subject: "S", headers: {} },
      ...{ html: text, text, attachments },
    }
    let bytes = 0
    await expectCheap(async () => {
      for (const chunk of await streamMime(message, 0)) bytes += chunk.length
    })
    expect(bytes).toBeGreaterThan(text.length)
  })
})

it("the longest message of the test inbox costs little to read", async () => {
  const text = filled("Hello there, how are you? https://x.test\n")
  const from = { address: "a@b.test" }
  const message = {
    ...{ teamId: "team", emailId: "email", from, to: [from], cc: [], bcc: [], replyTo: [] },
    ...{ subject: "S", headers: {}, attachments: [], tags: {}, attempt: 1, html: text, text },
  }
  const bytes = Buffer.from([packMessage(message)].flat().join(""))
  const read = () => unpackMessage({ emailId: "email", createdAt: 0 }, bytes)
  expect(await read()).toMatchObject({ html: text, links: ["https://x.test"] })
  await expectCheap(read)
})
