import { describe, expect, it } from "vitest"
import { type Block, blocks, theme } from "../../../../src/worker/campaigns/blocks/contract.ts"
import type { MergeContact } from "../../../../src/worker/campaigns/blocks/merge.ts"
import { composeBody, renderBody, renderSubject } from "../../../../src/worker/campaigns/body.ts"

const heading = { kind: "heading", level: 1, text: "Hello" }
const text = { kind: "text", html: "Hi" }
const button = { kind: "button", label: "Go", url: "https://a.test" }
const image = { kind: "image", url: "https://a.test/i.png", alt: "" }
const columns = { kind: "columns", layout: "1-1", columns: [[text], [heading]] }

const ada: MergeContact = {
  email: "ada@example.com",
  firstName: "Ada",
  lastName: null,
  properties: { city: "Löndon & more", points: 12, vip: true },
}

const UNSUBSCRIBE = "https://mail.test/unsubscribe/token.sig"
const PREFERENCES = "https://mail.test/preferences/token.sig"
const LINKS = { unsubscribeUrl: UNSUBSCRIBE, preferencesUrl: PREFERENCES }

function render(list: object[], contact = ada, defaults = {}) {
  const body = composeBody({
    preheader: null,
    subject: "News",
    header: [],
    blocks: blocks.parse(list) as Block[],
    footer: [],
    theme: null,
    sender: { name: "The Shop", postalAddress: "1 Main Street\nBerlin" },
  })
  return renderBody(body, contact, defaults, LINKS)
}

describe("blocks", () => {
  it.each<[string, unknown, (string | number)[]]>([
    ["no list", {}, []],
    ["none", [], []],
    ["101", Array(101).fill(text), []],
    ["over 256 KiB", Array(20).fill({ kind: "text", html: "a".repeat(20_000) }), []],
    ["null", [null], [0]],
    ["a string", ["text"], [0]],
    ["without a kind", [{ html: "Hi" }], [0, "kind"]],
    ["of an unknown kind", [{ kind: "html", html: "Hi" }], [0, "kind"]],
    ["of a kind in capitals", [{ ...text, kind: "Text" }], [0, "kind"]],
    ["the second one", [text, { ...heading, level: 4 }], [1, "level"]],
    ["heading without a level", [{ kind: "heading", text: "a" }], [0, "level"]],
    ["heading of level 0", [{ ...heading, level: 0 }], [0, "level"]],
    ["heading of level 1.5", [{ ...heading, level: 1.5 }], [0, "level"]],
    ["heading whose level is text", [{ ...heading, level: "1" }], [0, "level"]],
    ["heading without text", [{ kind: "heading", level: 1 }], [0, "text"]],
    ["heading of blanks", [{ ...heading, text: "  " }], [0, "text"]],
    ["heading over 500", [{ ...heading, text: "a".repeat(501) }], [0, "text"]],
    ["heading with a line break", [{ ...heading, text: "a\nb" }], [0, "text"]],
    ["heading null", [{ ...heading, text: null }], [0, "text"]],
    ["align justify", [{ ...heading, align: "justify" }], [0, "align"]],
    ["align null", [{ ...text, align: null }], [0, "align"]],
    ["color by name", [{ ...heading, color: "red" }], [0, "color"]],
    ["color of three digits", [{ ...text, color: "#fff" }], [0, "color"]],
    ["color of eight digits", [{ ...button, color: "#ffffff00" }], [0, "color"]],
    ["color with CSS", [{ ...heading, color: "#ffffff;a:b" }], [0, "color"]],
    ["color of no hex", [{ kind: "divider", color: "#gggggg" }], [0, "color"]],
    ["space below 0", [{ ...heading, spaceTop: -1 }], [0, "spaceTop"]],
    ["space over 96", [{ ...heading, spaceBottom: 97 }], [0, "spaceBottom"]],
    ["space of halves", [{ ...text, spaceTop: 0.5 }], [0, "spaceTop"]],
    ["space as text", [{ ...image, spaceTop: "8" }], [0, "spaceTop"]],
    ["text without html", [{ kind: "text" }], [0, "html"]],
    ["text that is empty", [{ kind: "text", html: "" }], [0, "html"]],
    ["text over 20,000", [{ kind: "text", html: "a".repeat(20_001) }], [0, "html"]],
    ["text with a control character", [{ kind: "text", html: "a\u0000" }], [0, "html"]],
    ["button without a label", [{ kind: "button", url: "https://a.test" }], [0, "label"]],
    ["button with an empty label", [{ ...button, label: "" }], [0, "label"]],
    ["button without a url", [{ kind: "button", label: "Go" }], [0, "url"]],
    ["url that is relative", [{ ...button, url: "/path" }], [0, "url"]],
    ["url without a scheme", [{ ...button, url: "a.test" }], [0, "url"]],
    ["url of two slashes", [{ ...button, url: "//a.test" }], [0, "url"]],
    ["url of a script", [{ ...button, url: "javascript:alert(1)" }], [0, "url"]],
    ["url of data", [{ ...button, url: "data:text/html,x" }], [0, "url"]],
    ["url of ftp", [{ ...button, url: "ftp://a.test" }], [0, "url"]],
    ["url of no host", [{ ...button, url: "https://" }], [0, "url"]],
    ["url with a blank", [{ ...button, url: "https://a.test/a b" }], [0, "url"]],
    ["url with a quote", [{ ...button, url: 'https://a.test/"x' }], [0, "url"]],
    ["url with a tab in its scheme", [{ ...button, url: "java\tscript:x" }], [0, "url"]],
    ["url over 2048", [{ ...button, url: `https://a.test/${"a".repeat(2048)}` }], [0, "url"]],
    ["url that is a merge field", [{ ...button, url: "{{ properties.url }}" }], [0, "url"]],
    ["url whose host is one", [{ ...button, url: "https://{{ properties.h }}/" }], [0, "url"]],
    ["url whose host ends in one", [{ ...button, url: "https://a.{{ email }}" }], [0, "url"]],
    ["image without a url", [{ kind: "image", alt: "" }], [0, "url"]],
    ["link to nobody", [{ ...button, url: "mailto:" }], [0, "url"]],
    ["control character in alt", [{ ...image, alt: "a\u0000b" }], [0, "alt"]],
    ["image at a mailto", [{ ...image, url: "mailto:a@b.test" }], [0, "url"]],
    ["image without alt", [{ kind: "image", url: "https://a.test/i.png" }], [0, "alt"]],
    ["image with alt over 500", [{ ...image, alt: "a".repeat(501) }], [0, "alt"]],
    ["image with a bad href", [{ ...image, href: "javascript:x" }], [0, "href"]],
    ["image of 30 percent", [{ ...image, width: 30 }], [0, "width"]],
    ["button of 0 percent", [{ ...button, width: 0 }], [0, "width"]],
    ["divider whose width is text", [{ kind: "divider", width: "50" }], [0, "width"]],
    ["spacer without a size", [{ kind: "spacer" }], [0, "size"]],
    ["spacer of 3", [{ kind: "spacer", size: 3 }], [0, "size"]],
    ["spacer of 97", [{ kind: "spacer", size: 97 }], [0, "size"]],
    ["columns without a layout", [{ kind: "columns", columns: [[], []] }], [0, "layout"]],
    ["columns of an unknown layout", [{ ...columns, layout: "3-1" }], [0, "layout"]],
    ["columns without columns", [{ kind: "columns", layout: "1-1" }], [0, "columns"]],
    ["columns that are too few", [{ ...columns, columns: [[text]] }], [0, "columns"]],
    ["columns that are too many", [{ ...columns, columns: [[], [], []] }], [0, "columns"]],
    ["columns that are no lists", [{ ...columns, columns: [text, text] }], [0, "columns", 0]],
    [
      "columns in columns",
      [{ ...columns, columns: [[columns], []] }],
      [0, "columns", 0, 0, "kind"],
    ],
    [
      "a bad block in a column",
      [{ ...columns, columns: [[], [{ ...text, html: "<b>" }]] }],
      [0, "columns", 1, 0, "html"],
    ],
  ])("are refused with a path: %s", (_name, list, path) => {
    const parsed = blocks.safeParse(list)
    expect(parsed.success).toBe(false)
    expect(parsed.error?.issues.map((issue) => issue.path)).toContainEqual(path)
  })

  it("of every kind with every option are taken as they are", () => {
    const options = { align: "center", color: "#12AB9f", spaceTop: 0, spaceBottom: 96 }
    const list = [
      { ...heading, ...options },
      {
        ...text,
        ...options,
        html: 'A <strong>b <em>c</em></strong><br><a href="mailto:a@b.test">d</a>',
      },
      { ...button, ...options, width: 100, url: "https://a.test/?to={{ email }}" },
      { ...image, align: "right", width: 25, href: "https://a.test/{{properties.slug}}" },
      { kind: "divider", color: "#000000", width: 50 },
      { kind: "spacer", size: 4 },
      { kind: "columns", layout: "1-1-1", columns: [[text], [], [image]], spaceTop: 8 },
      { kind: "columns", layout: "2-1", columns: [[text], []] },
      { kind: "columns", layout: "1-2", columns: [[text], []] },
    ]
    expect(blocks.parse(list)).toEqual(list)
    expect(blocks.parse([{ ...text, onclick: "x" }])).toEqual([text])
  })

  it.each([
    [{ font: "comic" }, ["font"]],
    [{ contentWidth: 601 }, ["contentWidth"]],
    [{ contentWidth: "600" }, ["contentWidth"]],
    [{ pageBackground: "white" }, ["pageBackground"]],
    [{ cardBackground: "#fff" }, ["cardBackground"]],
    [{ textColor: "" }, ["textColor"]],
    [{ linkColor: null }, ["linkColor"]],
    ["dark", []],
  ])("a theme is refused with a path: %j", (value, path) => {
    expect(theme.safeParse(value).error?.issues[0]?.path).toEqual(path)
  })
})

describe("a text block's html", () => {
  it.each([
    "<script>alert(1)</script>",
    "<SCRIPT SRC=https://evil.test/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script >alert(1)</script >",
    "<script/xss>alert(1)</script>",
    "< script>alert(1)</ script>",
    "<<script>alert(1);//<</script>",
    "<img src=x onerror=alert(1)>",
    "<img src=x:alert(alt) onerror=eval(src) alt=xss>",
    "<IMG SRC=javascript:alert('XSS')>",
    '<img src="javascript:alert(1)">',
    '<img """><script>alert("XSS")</script>">',
    "<svg onload=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<body onload=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    "<object data=javascript:alert(1)>",
    "<embed src=javascript:alert(1)>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<form action=javascript:alert(1)><input type=submit>",
    "<input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>",
    "<marquee onstart=alert(1)>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<link rel=stylesheet href=javascript:alert(1)>",
    "<base href=javascript:alert(1)//>",
    "<style>@import 'javascript:alert(1)';</style>",
    "<div style=width:expression(alert(1))>",
    "<table background=javascript:alert(1)>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href="JaVaScRiPt:alert(1)">x</a>',
    '<a href=" javascript:alert(1)">x</a>',
    '<a href="java\tscript:alert(1)">x</a>',
    '<a href="java&#10;script:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    '<a href="&#x6A;avascript&colon;alert(1)">x</a>',
    '<a href="\u0001javascript:alert(1)">x</a>',
    '<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>',
    '<a href="vbscript:msgbox(1)">x</a>',
    '<a href="https://a.test" onclick="alert(1)">x</a>',
    '<a href="https://a.test"onmouseover="alert(1)">x</a>',
    '<a onclick="alert(1)" href="https://a.test">x</a>',
    '<a href="https://a.test/&quot; onclick=&quot;alert(1)">x</a>',
    "<a href=https://a.test>x</a>",
    '<a href="//evil.test">x</a>',
    '<a href="https://a.test" style="x:y">x</a>',
    '<a\u000chref="https://a.test">x</a>',
    '<a href="https://a.test">x',
    "<a>x</a>",
    '<a href="https://a.test">x<a href="https://b.test">y</a></a>',
    "<strong onclick=alert(1)>x</strong>",
    "<strong/onclick=alert(1)>x</strong>",
    "<em style=x>y</em>",
    "<br onload=alert(1)>",
    "<strong><em>x</strong></em>",
    "</strong>",
    "<li>x</li>",
    "<ul>x</ul>",
    "<ul><br></ul>",
    "<ul><strong>x</strong></ul>",
    "<ul><ul><li>x</li></ul></ul>",
    "<ul><li>x<ol><li>y</li></ol></li></ul>",
    "<ul><li>x<li>y</li></li></ul>",
    "<ul><li>x</ul>",
    "<ul><li>x</li></ol>",
    "<strong><ul><li>x</li></ul></strong>",
    '<a href="https://a.test"><ul><li>x</li></ul></a>',
    "<ul class=x><li>y</li></ul>",
    "<li onclick=alert(1)>x</li>",
    "<ul><li>x</li>",
    "<!-- <img src=x onerror=alert(1)> -->",
    "<!--[if mso]><script>alert(1)</script><![endif]-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?>",
    "<!DOCTYPE html>",
    "a < b",
    "<",
    "<\u0000script>alert(1)</script>",
    "<strong",
    "<xss id=x onfocus=alert(1) tabindex=1>",
    "＜script＞<script>",
  ])("refuses %s", (html) => {
    const parsed = blocks.safeParse([{ kind: "text", html }])
    expect(parsed.error?.issues[0]?.path).toEqual([0, "html"])
  })

  it.each([
    ["a &lt;script&gt; &amp; more > less", "a &lt;script&gt; &amp; more &gt; less"],
    ["<STRONG>a</STRONG><BR/><br />b", "<strong>a</strong><br><br>b"],
    ["&#60;b&#62; &eacute;", "&#60;b&#62; &eacute;"],
  ])("takes %s", (html, shown) => {
    expect(render([{ kind: "text", html }]).html).toContain(`>${shown}</td>`)
  })

  it("decodes each character reference in the plain text and the preheader", () => {
    const html =
      "Sch&ouml;ne Gr&uuml;&szlig;e &bull; 20&deg;C &frac12; &#233;&nbsp;&Eacute; &lt;b&gt; &amp;eacute; &nope;"
    const shown = "Schöne Grüße • 20°C ½ é É <b> &eacute; &nope;"
    const body = render([{ kind: "text", html }])
    expect(body.text.split("\n")[0]).toBe(shown)
    expect(body.html).toContain(`>${html}</td>`)
    expect(body.html).toContain(
      `mso-hide:all">${shown.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;" })[sign] ?? "&gt;")}&#847;`,
    )
  })

  it("takes lists, which begin a line each in the plain text", () => {
    const bullets =
      '<ul> <li>A <strong>b</strong></li>\n<li><a href="https://a.test">c</a></li></ul>'
    const numbers = "<ol><li>One<br>more</li><li>{{ firstName }}</li></ol>"
    const { html, text } = render([
      { kind: "text", html: `Before${bullets}Between${numbers}After` },
    ])
    expect(html.replace(/ style="[^"]*"/g, "")).toContain(
      "Before<ul><li>A <strong>b</strong></li><li><a",
    )
    expect(html).toContain("<li>One<br>more</li><li>Ada</li></ol>After")
    expect(text.split("\n").slice(0, 9)).toEqual([
      "Before",
      "- A b",
      "- c (https://a.test)",
      "Between",
      "1. One",
      "more",
      "2. Ada",
      "After",
      "",
    ])
  })

  it("takes lists as they are read in time that grows with them", () => {
    const html = `<ul>${"<li>a</li>".repeat(1_900)}</ul>`
    expect(blocks.safeParse([{ kind: "text", html }]).success).toBe(true)
    expect(render([{ kind: "text", html }]).text.split("- a")).toHaveLength(1_901)
  })
})

describe("merge fields", () => {
  const evil: MergeContact = {
    email: "evil@example.com",
    firstName: `"><script>alert('1')</script>`,
    lastName: "{{ email }}",
    properties: { path: `x"&'<>/?#{{html email}}`, lines: "a\r\nBcc: b@c.test" },
  }

  it("are escaped by where they stand", () => {
    const { html, text } = render(
      [
        { ...heading, text: "{{ firstName }}" },
        { kind: "text", html: '<a href="https://a.test/{{ properties.path }}">{{firstName}}</a>' },
        { ...button, label: "{{ firstName }}", url: "https://a.test/?q={{properties.path}}" },
        { ...image, alt: "{{ firstName }}" },
      ],
      evil,
    )
    expect(html).not.toContain("<script>")
    const escaped = "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"
    expect(html.split(escaped)).toHaveLength(6)
    const path = "x%22%26%27%3C%3E%2F%3F%23%7B%7Bhtml%20email%7D%7D"
    expect(html).toContain(`href="https://a.test/${path}"`)
    expect(html).toContain(`href="https://a.test/?q=${path}"`)
    expect(text).toContain(`"><script>alert('1')</script> (https://a.test/${path})`)
  })

  it("are read once: a value that looks like one stays as it is", () => {
    const { html } = render([{ ...heading, text: "{{ lastName }}" }], evil)
    expect(html).toContain(">{{ email }}</h1>")
  })

  const named = {
    "Manager's Name": "Max",
    "R&D": "Lab",
    'Size "EU"': "42",
    "a<b": "less",
    "Two  spaces": "both",
  }

  it.each([
    ...Object.keys(named).map((name) => `{{ properties.${name} }}`),
    ...["{{firstName}}", "{{\u00a0firstName }}", "{{{ firstName }}}", "{{{properties.R&D}}}"],
    ...["{ {{ firstName }} }", "{{{ firstName }} x", "{{ firstName }}} x", "{{\u2003email\u00a0}}"],
  ])("become the same in the preheader, text and html, wherever they stand: %s", (field) => {
    const contact = { ...ada, properties: named }
    const escaped = field.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
    const spaced = escaped.replaceAll("\u00a0", "&nbsp;")
    const list = [
      { ...heading, text: field },
      { kind: "text", html: escaped },
      { kind: "text", html: `<strong>${spaced}</strong>` },
      { ...image, alt: field },
    ]
    const shown = renderSubject(field, contact, {})
    const { html, text: plain } = render(list, contact)
    const inHtml = shown.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
    const same = html.replaceAll("&lt;", "&#60;").replaceAll("&quot;", "&#34;")
    expect(same.split(inHtml)).toHaveLength(6)
    expect(plain.split("\n\n").slice(0, 4)).toEqual(Array(4).fill(shown))
    expect(shown).not.toContain("{{")
    expect(shown).toMatch(/Max|Lab|42|less|both|Ada|ada@/)
  })

  it("whose braces are character references are filled everywhere, too", () => {
    const { html, text: plain } = render([
      { kind: "text", html: "Dear &#123;&#x7b; firstName &#125;}" },
    ])
    expect(html.split("Dear Ada")).toHaveLength(3)
    expect(plain).toContain("Dear Ada")
  })

  it("with any name may stand in a link", () => {
    const { html } = render([
      { ...button, url: "https://a.test/?q={{ properties.R&D }}" },
      { kind: "text", html: '<a href="https://a.test/{{{ properties.R&amp;D }}}">x</a>' },
    ])
    expect(html).not.toContain("{{")
  })

  it("in a subject stay on its line", () => {
    expect(renderSubject("Hi {{ properties.lines }}", evil, {})).toBe("Hi a  Bcc: b@c.test")
    expect(renderSubject("{{ firstName }}".repeat(90), evil, {})).toHaveLength(998)
    const party = { ...evil, firstName: "🎉".repeat(100) }
    const cut = renderSubject(`x${"{{ firstName }}".repeat(5)}`, party, {})
    expect([cut.length, cut.isWellFormed()]).toEqual([997, true])
  })

  it.each([
    ["{{ firstName }}", "Ada"],
    ["{{firstName}}", "Ada"],
    ["{{ lastName }}", ""],
    ["{{ properties.city }}", "Löndon & more"],
    ["{{ properties.points }} {{ properties.vip }}", "12 true"],
    ["{{ properties.missing }}", "nothing"],
    ["{{ properties.constructor }}{{ properties.__proto__ }}", ""],
    ["{{ email }}", "ada@example.com"],
    ["{{ first name }} {{ }} {{ FirstName }}", "{{ first name }} {{ }} {{ FirstName }}"],
    ["{{ unsubscribeUrl }}", "{{ unsubscribeUrl }}"],
  ])("%s becomes '%s'", (subject, shown) => {
    expect(renderSubject(subject, ada, { "properties.missing": "nothing" })).toBe(shown)
  })

  it("fall back where the contact has an empty value", () => {
    const contact = { ...ada, firstName: "", properties: { city: "" } }
    const defaults = { firstName: "friend", "properties.city": "town" }
    expect(renderSubject("{{ firstName }}, {{ properties.city }}", contact, defaults)).toBe(
      "friend, town",
    )
  })

  it("find properties and defaults whose names have more than one blank", () => {
    const subject = "{{ properties.his  boss }} {{ properties.her  boss }}"
    const contact = { ...ada, properties: { "his  boss": "Bob" } }
    const defaults = { "properties.her  boss": "Eve" }
    expect(renderSubject(subject, contact, defaults)).toBe("Bob Eve")
  })
})

describe("a rendered campaign", () => {
  const everything = [
    { ...heading, text: "Hello {{ firstName }}" },
    {
      kind: "text",
      html: 'News for <strong>you</strong><br>and <a href="https://a.test/a?b=1&amp;c=2">more</a> &amp; more',
    },
    { ...button, width: 100, color: "#ffffff" },
    { ...image, alt: "A cat", width: 50, href: "https://a.test/cat" },
    { kind: "divider" },
    { kind: "spacer", size: 32 },
    {
      kind: "columns",
      layout: "2-1",
      columns: [[{ ...text, html: "Left" }], [{ ...image, alt: "Right" }]],
    },
  ]

  it("holds what mail programs need", () => {
    const { html } = render(everything)
    expect(html).toMatch(/^<!DOCTYPE html>/)
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
    expect(html).toContain('<meta name="supported-color-schemes" content="light dark">')
    expect(html).toContain('<meta name="viewport"')
    expect(html).toContain("<!--[if mso]>")
    expect(html).not.toMatch(/<(script|link|form|iframe)/)
    expect(html.match(/<table(?! role="presentation")/g)).toBeNull()
    expect(html).toContain("max-width:600px")
    expect(html).toMatch(
      /<img src="https:\/\/a\.test\/i\.png" alt="A cat" width="276" style="[^"]*width:50%;height:auto/,
    )
    expect(html).toContain('href="https://a.test/a?b=1&amp;c=2"')
    expect(html).toContain(`<a href="${UNSUBSCRIBE}"`)
    expect(html).toMatch(/mso-hide:all[^>]*>News for you and more &amp; more&#847;/)
    expect(html).toMatch(/color:#000000;[^"]*">Go<\/a>/)
    expect(html).not.toMatch(/\{\{|undefined|NaN/)
    for (const tag of ["table", "tr", "td", "div", "a", "h1", "strong"]) {
      const opened = html.match(new RegExp(`<${tag}[ >]`, "g"))?.length
      expect([tag, html.split(`</${tag}>`).length - 1]).toEqual([tag, opened])
    }
  })

  it("has a plain-text part", () => {
    expect(render(everything).text).toBe(`Hello Ada

News for you
and more (https://a.test/a?b=1&c=2) & more

Go: https://a.test

A cat: https://a.test/cat

----------

Left

Right

--
The Shop
1 Main Street
Berlin
Unsubscribe: ${UNSUBSCRIBE}
`)
  })

  it("stands between the blocks of its layouts, under its theme", () => {
    const composed = composeBody({
      preheader: null,
      subject: "News",
      header: blocks.parse([{ ...heading, text: "Header" }]),
      blocks: blocks.parse([{ ...text, html: "Body" }]),
      footer: blocks.parse([{ ...text, html: "Footer" }]),
      theme: theme.parse({
        font: "mono",
        contentWidth: 480,
        pageBackground: "#010203",
        textColor: "#040506",
      }),
      sender: { name: "The Shop", postalAddress: null },
    })
    const body = renderBody(composed, ada, {}, LINKS)
    expect(body.text).toMatch(/^Header\n\nBody\n\nFooter\n\n--\n/)
    expect(body.html).toContain("max-width:480px")
    expect(body.html).toContain("background-color:#010203")
    expect(body.html).toContain("color:#040506;font-family:'Courier New',Courier,monospace")
    expect(body.html).toContain(">Body</td>")
  })

  it("shows the start of its first text beside the subject, in whole words", () => {
    const { html } = render([heading, { ...text, html: `{{ firstName }}, ${"word ".repeat(60)}` }])
    expect(html).toMatch(/mso-hide:all[^>]*>Ada, (word ){20,30}word…&/)
  })
})
