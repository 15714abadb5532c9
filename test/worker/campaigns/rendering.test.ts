import { describe, expect, it } from "vitest"
import { type Block, blocks, type Theme } from "../../../src/worker/campaigns/blocks/contract.ts"
import type { MergeContact } from "../../../src/worker/campaigns/blocks/merge.ts"
import { composeBody, renderBody } from "../../../src/worker/campaigns/body.ts"

const ada: MergeContact = {
  email: "ada@example.com",
  firstName: "Ada",
  lastName: null,
  properties: {},
}
const text = (html: string) => ({ kind: "text", html })

function render(list: object[], theme: Theme | null = null, preheader: string | null = null) {
  const body = composeBody({
    preheader,
    subject: "Hi {{ firstName }} <& co>",
    header: [],
    blocks: blocks.parse(list) as Block[],
    footer: [],
    theme,
    sender: { name: "The Shop", postalAddress: null },
  })
  return renderBody(
    body,
    ada,
    {},
    {
      unsubscribeUrl: "https://mail.test/unsubscribe/token.sig",
      preferencesUrl: "https://mail.test/preferences/token.sig",
    },
  )
}

describe("a card that is dark", () => {
  it("has light text, unless the theme says otherwise", () => {
    const textOn = (theme: Theme) =>
      /<td style="[^"]*;color:(#[0-9a-f]{6})[^"]*">Hi</.exec(render([text("Hi")], theme).html)?.[1]
    expect(textOn({ cardBackground: "#111111" })).toBe("#f4f4f5")
    expect(textOn({ cardBackground: "#111111", textColor: "#aaaaaa" })).toBe("#aaaaaa")
    expect(textOn({ cardBackground: "#fafafa" })).toBe("#18181b")
  })
})

describe("the preheader", () => {
  const preheaderOf = (html: string) =>
    /mso-hide:all[^>]*>([^<]*?)(?:&#847;|<)/.exec(render([text(html)]).html)?.[1] ?? ""

  it.each([
    ["Dear ({{ firstName }}), ", "Dear (Ada), "],
    ["x{{ firstName }} and ", "xAda and "],
  ])("is never cut within a merge field: %s", (start, filled) => {
    for (let length = 90; length < 145; length++) {
      const words = "w ".repeat(length / 2)
      const shown = preheaderOf(`${words}${start}${"word ".repeat(40)}`)
      expect(shown).not.toMatch(/[{}]/)
      expect(`${words}${filled}${"word ".repeat(40)}`).toContain(shown.replace(/…$/, ""))
      expect(shown).toMatch(/…$/)
    }
  })

  it.each([
    ["Japanese", "秋の新作コレクションが入荷しました。".repeat(20), /^秋の新作.{100,}…$/u],
    ["families", "👨‍👩‍👧‍👦".repeat(40), /^(👨‍👩‍👧‍👦){12}…$/u],
    ["a long word", `See a.test/${"a".repeat(300)}`, /^See a\.test\/a{100,}…$/],
    ["a name between them", `${"新".repeat(135)}{{ firstName }}${"作".repeat(20)}`, /^新{135}…$/u],
  ])("without spaces is cut between its characters: %s", (_name, html, shown) => {
    expect(preheaderOf(html)).toMatch(shown)
  })

  it.each([
    ["Read https://a.test/?b={{ properties.c }}&amp;d now", "Read now"],
    ["Read it (https://a.test/x) or at www.a.test/y, please", "Read it or at please"],
    ['See <a href="https://a.test">https://a.test</a><br>Hello', "See Hello"],
    ["Topics: {{ preferencesUrl }} and more", "Topics: and more"],
    ["About a.test and http in general", "About a.test and http in general"],
  ])("shows no URL: %s", (html, shown) => expect(preheaderOf(html)).toBe(shown))

  it("is of the next text where the first has a URL alone", () => {
    const { html } = render([text("https://a.test"), text("Hello")])
    expect(html).toMatch(/mso-hide:all[^>]*>Hello(&#847;|<)/)
  })

  it("is the campaign's own where it has one, and puts a space between items", () => {
    const { html } = render([text("Hi")], null, "For {{ firstName }} & all")
    expect(html).toMatch(/mso-hide:all[^>]*>For Ada &amp; all(&#847;|<)/)
    expect(preheaderOf("<ul><li>One</li><li>Two</li></ul>")).toBe("One Two")
  })

  it("is a heading's start where there is no text", () => {
    const { html } = render([{ kind: "heading", level: 1, text: "word ".repeat(99).trim() }])
    expect(html).toMatch(/mso-hide:all[^>]*>(word ){20,27}word…</)
  })
})

describe("text that looks like a merge field of the renderer's own", () => {
  const HOSTILE = "<img src=x onerror=alert(1)>"
  const url = "https://mail.test/unsubscribe/token.sig"
  const links = { unsubscribeUrl: url, preferencesUrl: "https://mail.test/preferences/token.sig" }
  const contact = (firstName: string): MergeContact => ({ ...ada, firstName })
  const compose = (list: unknown[], subject = "Hi") =>
    composeBody({
      preheader: null,
      subject,
      header: [],
      blocks: list as Block[],
      footer: [],
      theme: null,
      sender: { name: subject, postalAddress: subject },
    })

  const written = [
    "{{text firstName}}",
    "{{url firstName}}",
    "{{html firstName}}",
    "{{text unsubscribeUrl}}",
    "\u0001text firstName\u0001",
    "\u0001html unsubscribeUrl\u0001",
    "&#1;text firstName&#1;",
    "{{text \u0001{{firstName}}\u0001}}",
    "{{\u0001text firstName\u0001}}",
  ]
  const shown = (text: string) => text.replaceAll("\u0001", "")

  it.each(written)("stays as an author wrote it: %j", (text) => {
    const blocks = [
      { kind: "heading", level: 1, text },
      { kind: "text", html: text },
      { kind: "text", html: `<a href="https://a.test/${text.replace(/[& ]/g, "")}">${text}</a>` },
      { kind: "button", label: text, url: `https://a.test/?q=${text}` },
      { kind: "image", url: "https://a.test/i.png", alt: text, href: `https://a.test/#${text}` },
    ]
    const { html, text: plain } = renderBody(compose(blocks, text), contact(HOSTILE), {}, links)
    expect(html).not.toContain("<img src=x")
    expect(html.split(url)).toHaveLength(2)
    expect(plain.split(url)).toHaveLength(2)
    if (text.includes("{{firstName}}")) return
    for (const place of [/<title>(.*?)<\/title>/, /<h1[^>]*>(.*?)<\/h1>/, / alt="(.*?)"/]) {
      expect(place.exec(html)?.[1]).toBe(shown(text).replaceAll("&", "&amp;"))
    }
    expect(plain.split("\n")[0]).toBe(shown(text))
  })

  it.each(written)("stays as a contact wrote it: %j", (name) => {
    const blocks = [
      { kind: "heading", level: 1, text: "{{ firstName }}" },
      { kind: "text", html: "{{firstName}}{{firstName}}" },
    ]
    const { html, text } = renderBody(compose(blocks), contact(name), {}, links)
    expect(/<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1]).toBe(name.replaceAll("&", "&amp;"))
    expect(text.split("\n")[0]).toBe(name)
    expect(html.split(url)).toHaveLength(2)
  })
})

describe("the document", () => {
  it("is entitled with the subject, as its recipient gets it", () => {
    expect(render([text("Hi")]).html).toContain("<title>Hi Ada &lt;&amp; co&gt;</title>")
  })

  it("has room behind a short preheader, and none without one", () => {
    const filled = (html: string) =>
      /mso-hide:all[^>]*>(.*)<\/div>/.exec(render([text(html)]).html)?.[1]
    expect(filled("Hi")).toMatch(/^Hi(&#847;&zwnj;&nbsp;){138}$/)
    expect(filled("新".repeat(200))).toMatch(/^新{140}…$/u)
    expect(render([{ kind: "divider" }]).html).not.toContain("mso-hide:all")
  })
})

const heading = { kind: "heading", level: 1, text: "Hello" }
const image = { kind: "image", url: "https://a.test/i.png", alt: "A cat" }
const button = { kind: "button", label: "Go", url: "https://a.test" }

describe("a row of columns", () => {
  const row = (layout: string, columns: object[][], more = {}) =>
    /^<tr>.*class="column".*$/m.exec(
      render([{ kind: "columns", layout, columns, ...more }], { contentWidth: 600 }).html,
    )?.[0] ?? ""
  const three = row("1-1-1", [[text("A")], [text("B")], [text("C")]])

  it("stacks as a whole, by a style sheet or by a calculation", () => {
    const { html } = render([
      { kind: "columns", layout: "1-1", columns: [[text("A")], [text("B")]] },
    ])
    expect(html).toMatch(/<style>@media \(max-width:480px\)\{\.column\{[^}]*width:100%!important/)
    const widths = [...html.matchAll(/class="column" style="([^"]*)"/g)].map(([, style]) => style)
    expect(widths).toHaveLength(2)
    for (const style of widths) {
      expect(style).toContain("width:48%;width:calc(4090000px - 1000000%);min-width:48%")
      expect(style).toContain("max-width:100%")
    }
  })

  it.each([
    ["1-1", ["48%", "48%"]],
    ["1-1-1", ["30.66%", "30.66%", "30.66%"]],
    ["2-1", ["65.33%", "30.66%"]],
    ["1-2", ["30.66%", "65.33%"]],
  ])("%s has gutters between its columns only, on one grid", (layout, widths) => {
    const html = row(layout, Array(widths.length).fill([text("A")]))
    expect([...html.matchAll(/min-width:([\d.]+%)/g)].map(([, width]) => width)).toEqual(widths)
    expect(html.split('class="gutter"')).toHaveLength(widths.length)
    expect(html).toMatch(/^<tr><td style="padding:0 24px 0">/)
    expect(html).not.toMatch(/padding:\S+ [1-9]\S* 16px/)
  })

  it("has cells for Outlook, with gutters that are cells too", () => {
    const cells = [...three.matchAll(/<td width="(\d+)">/g)].map(([, width]) => Number(width))
    expect(cells).toEqual([169, 22, 169, 22, 169])
    expect(three).toContain('style="table-layout:fixed" width="552"><tr valign="top">')
    expect(render([text("Hi")]).html).toContain("mso-table-lspace:0pt;mso-table-rspace:0pt")
  })

  it("has its space below once, in each of its columns", () => {
    expect(three.match(/padding:0 0 16px/g)).toHaveLength(3)
    const own = { ...text("B"), spaceBottom: 4 }
    const spaced = row("1-1", [[text("A"), own], [{ kind: "spacer", size: 8 }]], {
      spaceTop: 10,
      spaceBottom: 20,
    })
    expect(spaced).toContain('<td style="padding:10px 24px 0">')
    expect(spaced).toMatch(/padding:0 0 16px[^>]*>A<.*padding:0 0 24px[^>]*>B<.*<td height="28"/)
    expect(row("1-1", [[], [text("A")]])).toContain('max-width:100%"></div>')
  })

  it("is as light as inline styles let it be", () => {
    const cell = [image, text("t"), button]
    expect(row("1-1-1", [cell, cell, cell]).length).toBeLessThan(3_600)
  })
})

describe("blocks in HTML", () => {
  const rowOf = (block: object, theme: Theme | null = null) =>
    render([block], theme).html.match(/^<tr>.*$/gm)?.[1] ?? ""

  it("break long words rather than widen the card", () => {
    const { html } = render([text("a".repeat(200))])
    expect(html).toContain("overflow-wrap:break-word;word-break:break-word")
    expect(html).toMatch(/<table [^>]*table-layout:fixed"[^>]*class="card"/)
  })

  it.each([
    [1, 28, 35],
    [2, 22, 28],
    [3, 18, 23],
  ])("headings of level %i are set tight", (level, size, line) => {
    expect(rowOf({ ...heading, level })).toContain(`font-size:${size}px;line-height:${line}px`)
  })

  it("images take a share of the room, and pixels in Outlook", () => {
    const style = "display:block;width:100%;height:auto;border:0"
    expect(rowOf(image)).toContain(`alt="A cat" width="552" style="${style}"`)
    expect(rowOf({ ...image, width: 50, align: "center" })).toMatch(
      /<td align="center"[^>]*><img[^>]*width="276" style="display:block;margin:0 auto;width:50%/,
    )
    expect(rowOf({ ...image, width: 25, align: "right" }, { contentWidth: 480 })).toMatch(
      /<td align="right"[^>]*><img[^>]*width="108" style="display:block;margin:0 0 0 auto;width:25%/,
    )
  })

  it("buttons have their room in Outlook too", () => {
    expect(rowOf({ ...button, width: 50 })).toMatch(
      /width="50%"><tr><td align="center" bgcolor="#2563eb" style="[^"]*mso-padding-alt:12px 24px"><a [^>]*display:block;padding:12px 24px/,
    )
  })
})

describe("colors", () => {
  const unsubscribe = (theme: Theme) =>
    /color:(#\w{6})[^>]*>Unsubscribe/.exec(render([text("Hi")], theme).html)?.[1]

  it.each([
    ["#f4f4f5", "#000000"],
    ["#0b1020", "#ffffff"],
    ["#ffdd00", "#000000"],
  ])("of the way out stand out on the page: %s", (pageBackground, color) => {
    expect(unsubscribe({ pageBackground })).toBe(color)
    expect(unsubscribe({ pageBackground, cardBackground: "#000000", textColor: "#777777" })).toBe(
      color,
    )
  })

  const darkRule = "@media (prefers-color-scheme:dark)"

  it.each<[Theme | null]>([[null], [{}], [{ font: "serif", contentWidth: 480 }]])(
    "that nobody chose are dark on dark screens: %j",
    (theme) => {
      const { html } = render([text("Hi"), heading], theme)
      expect(html).toContain(darkRule)
      expect(html).toContain('<meta name="color-scheme" content="light dark">')
      for (const name of ["page", "card", "text", "link"]) {
        expect(html).toMatch(new RegExp(`\\.${name}\\{(background-)?color:#\\w{6}!important`))
      }
      expect(html).toMatch(/<body class="page"[\s\S]*<table[^>]* class="card"/)
      expect(html).toMatch(/<td class="text"[^>]*>Hi<[\s\S]*<h1 class="text"/)
    },
  )

  it.each<[Theme]>([
    [{ pageBackground: "#ffffff" }],
    [{ cardBackground: "#ffffff" }],
    [{ textColor: "#000000" }],
    [{ linkColor: "#ff0000" }],
  ])("that somebody chose stay: %j", (theme) => {
    const { html } = render([text("Hi"), heading, { kind: "divider" }], theme)
    expect(html).not.toContain(darkRule)
    expect(html).not.toContain("class=")
    expect(html).toContain('<meta name="color-scheme" content="light only">')
    expect(html).toContain('<meta name="supported-color-schemes" content="light only">')
  })

  it.each([
    [{ ...text("Hi"), color: "#334455" }, true],
    [{ ...text("Hi"), color: "#666666" }, true],
    [{ ...text("Hi"), color: "#999999" }, false],
    [{ ...heading, color: "#ff0000" }, false],
    [{ ...heading, color: "#000000" }, true],
  ])("of a block give way to dark screens where they cannot be read: %j", (block, gives) => {
    const { html } = render([block])
    expect(/class="text"[^>]*>H/.test(html)).toBe(gives)
    expect(html).toContain(`color:${block.color}`)
  })
})

describe("the plain-text part", () => {
  const textOf = (list: object[]) => render(list).text.split("\n\n--\n")[0]

  it.each([
    ["One<br>two", "One\ntwo"],
    ["One <br> two <br/>\n <strong> three</strong>", "One\ntwo\nthree"],
    ["One <strong> two </strong> three", "One two three"],
    ['<a href="https://a.test">More </a> soon', "More (https://a.test) soon"],
  ])("has no spaces around its breaks: %s", (html, shown) => {
    expect(textOf([text(html)])).toBe(shown)
  })

  it("has where an image leads, even one without words, and no trace of others", () => {
    const silent = { ...image, alt: "" }
    expect(textOf([text("Hi"), silent, { ...silent, href: "https://a.test/sale" }])).toBe(
      "Hi\n\nhttps://a.test/sale",
    )
  })
})
