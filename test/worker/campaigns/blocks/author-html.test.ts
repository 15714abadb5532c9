import { describe, expect, it } from "vitest"
import {
  cleanHtml,
  lostTargetsOf,
  textsOfHtml,
} from "../../../../src/worker/campaigns/blocks/author-html.ts"
import {
  type Block,
  blocks,
  campaignBlocks,
} from "../../../../src/worker/campaigns/blocks/contract.ts"
import { composeBody, renderBody } from "../../../../src/worker/campaigns/body.ts"

const CLEANED: [what: string, html: string, cleaned: string][] = [
  ["text and its tags", '<p align="left">A <b>b</b></p>', '<p align="left">A <b>b</b></p>'],
  ["a script with its content", "a<script>alert('</b>')</script>b", "ab"],
  ["an element within a dropped one", "a<svg><svg></svg><p>x</p></svg>b", "ab"],
  ["a form, but not what is in it", "<form action=x><p>a</p><input></form>", "<p>a</p>"],
  ["a handler", '<p onclick="x()" title="a">b</p>', '<p title="a">b</p>'],
  ["a script in a link", "<a href=' javascript:x()'>a</a>", "<a>a</a>"],
  ["a hidden script in a link", '<a href="java&#10;script:x()">a</a>', "<a>a</a>"],
  ["a link", '<a href="https://a.test/?b&amp;c">a</a>', '<a href="https://a.test/?b&amp;c">a</a>'],
  ["a telephone number", '<a href="tel:+1 (2)">a</a>', '<a href="tel:+1%20(2)">a</a>'],
  ["an apostrophe", `<a href="https://a.test/b's">a</a>`, '<a href="https://a.test/b&#39;s">a</a>'],
  ["a blank", '<img src="https://a.test/b c.png">', '<img src="https://a.test/b%20c.png">'],
  ["an image inside", '<img src="data:image/png;base64,AA" alt="A">', '<img alt="A">'],
  ["a quote in a text", '<img alt="&quot;><script>">', '<img alt="&quot;&gt;&lt;script&gt;">'],
  ["the page around", "<html><head><title>T</title></head><body>a</body>", "<div>a</div>"],
  ["comments", "a<!-- b -->c<!--[if mso]>d<![endif]-->", "ac"],
  ["what stays open", "<table><tr><td><p>a", "<table><tr><td><p>a</p></td></tr></table>"],
  ["what closes more than it opened", "</td></tr></table>a</div>", "a"],
  ["a cell without a table", "<td>a</td>", "a"],
  ["a table within the rows of another", "<table><table></table>", "<table></table>"],
  ["an end across a cell", "<div><table><td></div>a", "<div><table><td>a</td></table></div>"],
  ["a sheet that loads", '<p style="a:url(//x)">a</p>', '<p style="a:none">a</p>'],
  [
    "an image of a style",
    "<p style=\"a:url('https://x')\">a</p>",
    '<p style="a:url(&#39;https://x&#39;)">a</p>',
  ],
  [
    "an image of a style behind much space",
    `<p style="a:url(${" ".repeat(200_000)}https://x)">a</p>`,
    `<p style="a:url(${" ".repeat(200_000)}https://x)">a</p>`,
  ],
  ["a script in a style", '<p style="w:expression(x)">a</p>', '<p style="w:none(x)">a</p>'],
  ["an escape in a style", '<p style="b:\\75rl(//x)">a</p>', '<p style="b:75rl(//x)">a</p>'],
]

describe("HTML of an author", () => {
  it.each(CLEANED)("%s", (_what, html, cleaned) => {
    expect(cleanHtml(html).html).toBe(cleaned)
  })

  it("keeps its style sheets apart, without what loads others", () => {
    const { html, css } = cleanHtml(
      "<style>@import 'x'; @media(max-width:9px){p{color:red}} /* a */ b{background:url(https://a.test/b.png)}</style>a",
    )
    expect(html).toBe("a")
    expect(css).toBe("@media(max-width:9px){p{color:red}}  b{background:url(https://a.test/b.png)}")
  })

  it("keeps 100 tags inside of each other, and the texts of all", () => {
    const { html } = cleanHtml(`${"<i>".repeat(30_000)}a<br>${"</b>".repeat(40_000)}b`)
    expect(html).toBe(`${"<i>".repeat(100)}ab${"</i>".repeat(100)}`)
  })

  it("loads no other sheet by a rule inside of a rule", () => {
    const { css } = cleanHtml(
      "<style>@im@import 'x';port 'https://a.test/b.css'; b{color:red}</style>",
    )
    expect(css).not.toMatch(/@import/i)
    expect(css).toContain("b{color:red}")
  })

  it("tells its texts and URLs, and nothing of its styles", () => {
    const html = '<style>{{ x }}</style><a href="https://a.test" title="T">A</a><img alt="B">'
    expect(textsOfHtml(html)).toEqual(["https://a.test", "T", "A", "B"])
  })

  it("tells which links a merge field in the host would lose", () => {
    const hrefs = [
      "https://a.test/?b={{ email }}",
      "{{ preferencesUrl }}",
      "javascript:x()",
      "{{{properties.url}}}",
      "https://{{ firstName }}.a.test/",
    ]
    const html = hrefs.map((href) => `<a href="${href}">a</a>`).join("")
    expect(lostTargetsOf(html)).toEqual(hrefs.slice(3))
  })

  it("stands in a campaign only", () => {
    const list = [{ kind: "columns", layout: "1-1", columns: [[{ kind: "html", html: "a" }], []] }]
    expect(campaignBlocks.safeParse(list).success).toBe(true)
    expect(blocks.safeParse(list).success).toBe(false)
  })
})

function render(list: Block[]) {
  const body = composeBody({
    ...{ subject: "News", preheader: null, header: [], blocks: list, footer: [], theme: null },
    sender: { name: "The Shop", postalAddress: null },
  })
  const ada = { email: "ada@example.com", firstName: "<Ada>", lastName: null, properties: {} }
  return renderBody(
    body,
    ada,
    {},
    { unsubscribeUrl: "https://u.test", preferencesUrl: "https://p" },
  )
}

describe("a message with HTML of its author", () => {
  const html =
    '<style>p{color:red}</style><p>Hi {{ firstName }}</p><a href="{{ preferencesUrl }}">Stop</a>'

  it("is the author's page, with the footer of every campaign", () => {
    const message = render([{ kind: "html", html }])
    expect(message.html).toContain("<style>p{color:red}</style>\n</head>")
    expect(message.html).toContain('<p>Hi &lt;Ada&gt;</p><a href="https://p">Stop</a>')
    expect(message.html).toContain('<a href="https://u.test"')
    expect(message.html).not.toContain("max-width:600px")
    expect(message.html).not.toContain("prefers-color-scheme")
    expect(message.text).toBe(
      "Hi <Ada>\n\nStop (https://p)\n\n--\nThe Shop\nUnsubscribe: https://u.test\n",
    )
  })

  it("has the text that its author wrote for it", () => {
    expect(render([{ kind: "html", html, text: "Hi {{ firstName }}" }]).text).toMatch(
      /^Hi <Ada>\n\n--/,
    )
  })

  it("has other blocks beside it", () => {
    const message = render([{ kind: "html", html }, { kind: "divider" }])
    expect(message.html).toContain("max-width:600px")
    expect(message.html).toContain("<p>Hi &lt;Ada&gt;</p>")
  })
})
