import { describe, expect, it } from "vitest"
import { newId } from "../../src/lib/id.ts"
import { readClick, readOpen } from "../../src/tracking/links.ts"
import { type Tracked, trackHtml } from "../../src/tracking/rewrite.ts"
import { testWork } from "../support/work.ts"

const { settings } = testWork({ settings: { BASE_URL: "https://mail.test" } }).work
const email = { teamId: newId("team"), emailId: newId("email") }

/** The HTML as it is sent, with `[url]` for a wrapped link and `[pixel]` for the pixel. */
async function sent(html: string, tracked: Partial<Tracked> = { clicks: true }): Promise<string> {
  const rewritten = await trackHtml(settings, email, html, {
    opens: false,
    clicks: false,
    ...tracked,
  })
  return rewritten
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

describe("a link is wrapped, and all else is left as it was", () => {
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
    ['<a\n href\n=\n"https://x.test"\n>', '<a href="[https://x.test]">'],
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
  ])("not in %s", async (html) => {
    expect(await sent(html)).toBe(html)
  })

  it("neither where clicks are not tracked", async () => {
    const html = '<body><a href="https://x.test">x</a></body>'
    expect(await sent(html, {})).toBe(html)
    expect(await sent(html, { opens: true })).toBe(html.replace("</body>", "[pixel]</body>"))
  })

  it("nor in markup that the parser refuses", async () => {
    const html = '<select><title></select><a href="https://x.test">x</a>'
    expect(await sent(html)).toBe(html)
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
