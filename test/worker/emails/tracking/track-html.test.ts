import { describe, expect, it } from "vitest"
import { createTextReader } from "../../../../src/lib/html-text.ts"
import { newId } from "../../../../src/lib/id.ts"
import { readClick, readOpen } from "../../../../src/worker/emails/tracking/links.ts"
import { type Tracked, trackHtml } from "../../../../src/worker/emails/tracking/track-html.ts"
import { testWork } from "../../../support/work.ts"

const { settings } = testWork({ settings: { BASE_URL: "https://mail.test" } }).work
const email = { teamId: newId("team"), emailId: newId("email") }

/** Another reader beside it changes nothing. */
async function track(html: string, tracked: Partial<Tracked> = { clicks: true }) {
  const all = { opens: false, clicks: false, ...tracked }
  const alone = await trackHtml(settings, email, html, all)
  const { reader } = createTextReader()
  expect(await trackHtml(settings, email, html, all, reader)).toEqual(alone)
  return alone
}

/** The HTML as it is sent, with `[url]` for a wrapped link and `[pixel]` for the pixel. */
async function sent(html: string, tracked: Partial<Tracked> = { clicks: true }): Promise<string> {
  const rewritten = await track(html, tracked)
  return rewritten.html
    .replace(/https:\/\/mail\.test\/t\/c\/([\w.-]+)/g, (_, token) => {
      const click = readClick(settings, token)
      expect(click).toMatchObject(email)
      return `[${click?.url}]`
    })
    .replace(/<img src="https:\/\/mail\.test\/t\/o\/([\w.-]+)"[^>]*>/g, (_, token) => {
      expect(readOpen(settings, token)).toEqual(email)
      return "[pixel]"
    })
}

const long = `https://x.test/${"a".repeat(2_100)}`

describe("tracking wraps links and changes nothing else", () => {
  it.each([
    ['<a href="https://x.test/">x</a>', '<a href="[https://x.test/]">x</a>'],
    ["<a href='http://x.test'>x</a>", '<a href="[http://x.test]">x</a>'],
    ["<a href=https://x.test/a>x</a>", '<a href="[https://x.test/a]">x</a>'],
    ['<A HREF="HTTPS://X.TEST">x</A>', '<A HREF="[HTTPS://X.TEST]">x</A>'],
    ['<a class=b href=" https://x.test ">x</a>', '<a class=b href="[https://x.test]">x</a>'],
    ['<a href="https://x.test/?a=1&amp;b=2">', '<a href="[https://x.test/?a=1&b=2]">'],
    ['<a href="https://x.test/?a=1&b=2">', '<a href="[https://x.test/?a=1&b=2]">'],
    ['<a href="https://x.test/?a=1&copy=2">', '<a href="[https://x.test/?a=1&copy=2]">'],
    ['<a href="https://x.test/&#x41;&#66;&eacute;">', '<a href="[https://x.test/ABé]">'],
    ['<a href="https://x.test/?q=&quot;a&quot;">', '<a href="[https://x.test/?q="a"]">'],
    ['<a href="https://x.test/ü?a b#c">', '<a href="[https://x.test/ü?a b#c]">'],
    ['<a\n href\n=\n"https://x.test"\n>', '<a\n href="[https://x.test]"\n>'],
    ['<a href="https://x.test"href="b">', '<a href="[https://x.test]"href="b">'],
    ["<a href=https://x.test/a/>x</a>", '<a href="[https://x.test/a/]">x</a>'],
    ['<svg><a href="https://x.test"/></svg>', '<svg><a href="[https://x.test]"/></svg>'],
  ])("%s", async (html, expected) => {
    expect(await sent(html)).toBe(expected)
  })

  it.each([
    '<a href="mailto:a@x.test">x</a>',
    '<a href="tel:+1">x</a>',
    '<a href="#top">x</a>',
    '<a href="/relative">x</a>',
    '<a href="//x.test">x</a>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="data:text/html,x">x</a>',
    '<a href="ftp://x.test">x</a>',
    '<a href="https://">x</a>',
    '<a href="">x</a>',
    "<a href>x</a>",
    '<a name="https://x.test">x</a>',
    `<a href="${long}">x</a>`,
    '<a href="https://mail.test/unsubscribe/token">x</a>',
    '<a href="https://mail.test&#x2f;unsubscribe/token">x</a>',
    '<area href="https://x.test"><link href="https://x.test"><img src="https://x.test">',
    "https://x.test",
    '<!-- <a href="https://x.test"> --><!--[if mso]><a href="https://x.test"><![endif]-->',
    '<textarea><a href="https://x.test"></textarea><style>a[href="https://x.test"]{}</style>',
    '<p title="<a href=https://x.test>">&nbsp;&copy;  Grüße\r\n<BR/>😀</P>',
  ])("leaves %s unchanged", async (html) => {
    expect(await sent(html)).toBe(html)
  })

  it("wraps no link where clicks are not tracked", async () => {
    const html = '<body><a href="https://x.test">x</a></body>'
    expect(await sent(html, {})).toBe(html)
    expect(await sent(html, { opens: true })).toBe(html.replace("</body>", "[pixel]</body>"))
  })

  it("wraps no link in an unclosed title or inside a tag", async () => {
    const title = '<select><title></select><a href="https://x.test">x</a>'
    const tag = '<a title="<a href=https://x.test>" href="https://x.test'
    for (const html of [title, tag]) expect(await sent(html)).toBe(html)
  })
})

describe("a message with very many links", () => {
  const link = '<a href="https://x.test/">x</a>'
  const long = `<a href="https://x.test/${"a".repeat(2_000)}">x</a>`
  const wrappedIn = (html: string) => html.match(/\/t\/c\//g)?.length ?? 0

  it("keeps its links where they are more than 2,000", async () => {
    const { html, ...rest } = await track(link.repeat(2_000))
    expect([wrappedIn(html), rest]).toEqual([2_000, {}])
    const more = link.repeat(2_001)
    expect(await track(more)).toEqual({ html: more, untracked: "too_many_links" })
  })

  it("does not count links that are never wrapped", async () => {
    const other = '<a href="mailto:a@x.test">x</a><a href="https://mail.test/unsubscribe/t">x</a>'
    const { html, ...rest } = await track(link.repeat(2_000) + other)
    expect([wrappedIn(html), rest]).toEqual([2_000, {}])
  })

  it("keeps its links where wrapping would add more than 1 MiB", async () => {
    const each = Buffer.byteLength((await track(long)).html) - Buffer.byteLength(long)
    const fitting = Math.floor(2 ** 20 / each)
    expect(fitting).toBeLessThan(2_000)
    const { html, ...rest } = await track(long.repeat(fitting))
    expect([wrappedIn(html), rest]).toEqual([fitting, {}])
    const more = long.repeat(fitting + 1)
    expect(await track(more)).toEqual({ html: more, untracked: "too_many_links" })
  })

  it("still gets its pixel", async () => {
    const more = `<body>${link.repeat(2_001)}`
    expect(await sent(`${more}</body>`, { opens: true, clicks: true })).toBe(
      `${more}[pixel]</body>`,
    )
  })
})

/** It was ten times the size where each link was wrapped. */
describe("five million characters hardly grow", () => {
  const filled = (part: string) => part.repeat(Math.floor(5_000_000 / part.length))

  it.each([
    ["217,000 links", filled("<a href=https://x>y</a>")],
    ["links to nowhere", filled('<a href="#">x</a>')],
    ["few links", `<a href="https://x.test/">x</a>${filled("<p>Hello there, you</p>")}`],
    ["open tags", filled("<a ")],
    ["closing tags", filled("</body>")],
    ["attributes", `<a ${filled("href ")}>`],
  ])("of %s", async (_what, html) => {
    const tracked = await track(html, { opens: true, clicks: true })
    expect(tracked.html.length).toBeLessThan(html.length + 1_000)
  })
})

describe("the pixel is last in the body", () => {
  it.each([
    ["<html><body><p>Hi</p></body></html>", "<html><body><p>Hi</p>[pixel]</body></html>"],
    ["<BODY>Hi</BODY>", "<BODY>Hi[pixel]</BODY>"],
    ["<body>Hi", "<body>Hi[pixel]"],
    ["<p>Hi</p>", "<p>Hi</p>[pixel]"],
    ["<!-- </body> --><body>Hi</body>\n", "<!-- </body> --><body>Hi[pixel]</body>\n"],
    ["<body>one</body><body>two</body>", "<body>one[pixel]</body><body>two</body>"],
  ])("%s", async (html, expected) => {
    expect(await sent(html, { opens: true })).toBe(expected)
  })
})
